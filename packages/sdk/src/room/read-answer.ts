/** What one room did in one turn. */
export type TurnResult = { roomId: string; turn: number; effects: Effect[] }
/** One line of an answer, with its payload parsed. */
export type Effect = { kind: string; target: unknown; payload: unknown }

/** Reads what the runtime has written. */
export function readAnswer(text: string): TurnResult[] {
  const [head = '', ...lines] = text.split('\n')
  let at = 0
  const results = (JSON.parse(head) as [string, number, [string, unknown][]][]).map(
    ([roomId, turn, kinds]) => ({
      roomId,
      turn,
      effects: kinds.map(([kind, target]) => ({
        kind,
        target,
        payload: JSON.parse(lines[at++] ?? '') as unknown,
      })),
    }),
  )
  // After the last line feed there is nothing.
  if (at !== lines.length - 1 || lines[at] !== '')
    throw new Error('The answer does not have one line per kind.')
  return results
}
