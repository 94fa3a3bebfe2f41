export type Save = { best: number; lamps: number; lamp: number; player?: string }

export const EMPTY: Save = { best: 0, lamps: 1, lamp: 0 }
const NAME = 'lighthouse'

let save: Save = { ...EMPTY, ...JSON.parse(localStorage.getItem(NAME) ?? '{}') }
const listeners: (() => void)[] = []

export const currentSave = (): Save => save

export function keep(changes: Partial<Save>): void {
  save = { ...save, ...changes }
  localStorage.setItem(NAME, JSON.stringify(save))
  for (const listener of listeners) listener()
}

/** Calls `listener` after each change. */
export const onKeep = (listener: () => void): number => listeners.push(listener)
