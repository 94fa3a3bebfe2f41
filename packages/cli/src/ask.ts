import type * as clack from '@clack/prompts'

import { Failure } from './failure.ts'

export type Ask = ReturnType<typeof createAsk>

/** Questions to the person at the terminal. Without one nothing is guessed: the failure names the option that answers. */
export function createAsk({ canAsk }: { canAsk: boolean }) {
  async function prompt<T>(question: string, option: string, show: (prompts: Prompts) => Promise<T>) {
    if (!canAsk)
      throw new Failure('usage', `"${question}" is asked in a terminal only.`, { fix: `Give ${option}` })
    const prompts = await import('@clack/prompts')
    const answer = await show(prompts)
    if (prompts.isCancel(answer)) throw new Failure('stopped', 'Stopped.')
    return answer as Exclude<T, symbol>
  }

  const confirm = (message: string, { option = '--yes', byDefault = false } = {}): Promise<boolean> =>
    prompt(message, option, (prompts) => prompts.confirm({ message, initialValue: byDefault }))

  return {
    canAsk,
    text: (message: string, option: string, placeholder?: string): Promise<string> =>
      prompt(message, option, (prompts) =>
        prompts.text({ message, validate: required, ...(placeholder && { placeholder }) }),
      ),
    secret: (message: string, option: string): Promise<string> =>
      prompt(message, option, (prompts) => prompts.password({ message, validate: required })),
    confirm,

    /** Ends the command unless the answer is yes. */
    async require(message: string, { yes = false }: { yes?: boolean | undefined }) {
      if (!yes && !(await confirm(message))) throw new Failure('stopped', 'Nothing was changed.')
    },
  }
}

type Prompts = typeof clack

const required = (text: string | undefined) => (text ? undefined : 'Needed.')
