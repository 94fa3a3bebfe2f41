import type { RoomClass } from '../../platform/ports/functions-engine.ts'

/** A mode of the config whose rooms run a class of the functions. */
export type RoomMode = { mode: string; className: string }

/** A sentence for each mode whose class is not among those that the functions export. */
export const modesWithoutClass = (
  modes: readonly RoomMode[],
  exported: readonly RoomClass[] = [],
): string[] =>
  modes
    .filter((each) => !exported.some(({ className }) => className === each.className))
    .map(
      ({ mode, className }) =>
        `No room of the mode ${mode} can be opened: the live functions do not export its class ${className}. Deploy functions that export it, or change modes[].room.class in the config.`,
    )
