import type { EnvironmentName } from '@svc/contract/common/schemas'

import { Check } from '../../ui/field.tsx'
import { toolsWith } from './tools.ts'

type Props = {
  env: EnvironmentName
  chosen: ReadonlySet<string>
  choose: (chosen: ReadonlySet<string>) => void
}

/** What every agent can do. */
export const READS =
  'Reads players with their email addresses, saves, appeals, config, versions, publishable keys, logs and the audit log, which names members by email address. What it reads goes to the program and its provider. It never sees secret keys, secrets, sign-in credentials or money.'

/** A choice among the tools that change something, with what each one does. */
export const ToolChoice = ({ env, ...choice }: Props) => (
  <>
    <ToolGroup
      title="Changes"
      about="The agent uses these on its own."
      tools={toolsWith('write', env)}
      {...choice}
    />
    <ToolGroup
      title="Needs approval"
      about="Destructive: you approve each of these calls."
      tools={toolsWith('destructive', env)}
      {...choice}
    />
  </>
)

type GroupProps = Omit<Props, 'env'> & {
  title: string
  about: string
  tools: { name: string; text: string }[]
}

function ToolGroup({ title, about, tools, chosen, choose }: GroupProps) {
  const names = new Set(tools.map(({ name }) => name))
  const set = (changed: ReadonlySet<string>, isChosen: boolean) =>
    choose(isChosen ? chosen.union(changed) : chosen.difference(changed))
  return (
    <fieldset class="tool-group">
      <legend>{title}</legend>
      <p class="small soft">{about}</p>
      <Check checked={names.isSubsetOf(chosen)} change={(isChosen) => set(names, isChosen)}>
        <strong>All {tools.length}</strong>
      </Check>
      {tools.map(({ name, text }) => (
        <Check key={name} checked={chosen.has(name)} change={(isChosen) => set(new Set([name]), isChosen)}>
          <span>
            <code>{name}</code> {text}
          </span>
        </Check>
      ))}
    </fieldset>
  )
}
