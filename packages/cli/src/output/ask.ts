import type * as clack from '@clack/prompts'

import type { System } from '../system.ts'
import { Failure } from './failure.ts'

export type Ask = ReturnType<typeof createAsk>

/** Asks questions in the terminal. Without a terminal it fails and prints the option to use instead. */
export function createAsk({ canAsk, ...streams }: Terminal) {
  async function prompt<T>(question: string, option: string, show: (prompts: Prompts) => Promise<T>) {
    if (!canAsk)
      throw new Failure('usage', `Cannot ask "${question}" without a terminal.`, { fix: `Use ${option}` })
    const prompts = await import('@clack/prompts')
    const answer = await show(prompts)
    if (prompts.isCancel(answer)) throw new Failure('stopped', 'Canceled.')
    return answer as Exclude<T, symbol>
  }

  const confirm = (message: string, { option = '--yes', byDefault = false } = {}): Promise<boolean> =>
    prompt(message, option, (prompts) => prompts.confirm({ message, initialValue: byDefault, ...streams }))

  return {
    canAsk,
    text: (message: string, option: string, initialValue?: string): Promise<string> =>
      prompt(message, option, (prompts) =>
        prompts.text({ message, validate: required, ...(initialValue && { initialValue }), ...streams }),
      ),
    secret: (message: string, option: string): Promise<string> =>
      prompt(message, option, (prompts) => prompts.password({ message, validate: required, ...streams })),
    confirm,
    /** Asks to choose one of several options; returns its value. */
    choose: (message: string, option: string, options: Choice[]): Promise<string> =>
      prompt(message, option, (prompts) => prompts.select({ message, options, ...streams })),

    /** Ends the command unless the answer is yes. */
    async require(message: string, { yes = false, option = '--yes' }: Requirement) {
      if (!yes && !(await confirm(message, { option }))) throw new Failure('stopped', 'Nothing was changed.')
    },
  }
}

type Prompts = typeof clack
type Terminal = Pick<System, 'input' | 'output'> & { canAsk: boolean }
/** `option` is what a script uses instead. */
type Requirement = { yes?: boolean | undefined; option?: string }
export type Choice = { value: string; label: string; hint?: string }

const required = (text: string | undefined) => (text ? undefined : 'Required.')
