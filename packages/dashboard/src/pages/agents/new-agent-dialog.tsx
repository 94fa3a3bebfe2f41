import { useState } from 'preact/hooks'

import { call } from '../../developer.ts'
import { inProduction, type Route } from '../../route.ts'
import { agentCommands } from '../../set-up.ts'
import { useAction } from '../../ui/action.ts'
import { FormDialog, InfoDialog } from '../../ui/dialog.tsx'
import { Check, Field, Select, TextField } from '../../ui/field.tsx'
import { CopiedValue, Segments, Snippet } from '../../ui/parts.tsx'
import { ProofField, useProof } from '../../ui/proof-field.tsx'
import { clientConfig } from './client-config.ts'
import { READS, ToolChoice } from './tool-choice.tsx'
import { toolsWith } from './tools.ts'

const LABEL_LENGTH_MAX = 60
const TIMES = [
  { id: '1', title: '1 hour' },
  { id: '8', title: '8 hours' },
  { id: '24', title: '1 day' },
  { id: '168', title: '7 days' },
  { id: '720', title: '30 days' },
] as const

type Props = { route: Route; onCreated: () => void; onClose: () => void }

/** Creates an agent. Its token exists only while this dialog is open. */
export function NewAgentDialog({ route, onCreated, onClose }: Props) {
  const [label, setLabel] = useState('')
  const [hours, setHours] = useState('8')
  const [mode, setMode] = useState<'read' | 'chosen'>('read')
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set())
  const [unattended, setUnattended] = useState(false)
  const proof = useProof()
  const [token, setToken] = useState<string>()

  const tools = mode === 'read' ? [] : [...chosen]
  const asksForProof = route.env === 'production' && tools.length > 0
  const canBeUnattended =
    route.env === 'development' &&
    mode === 'chosen' &&
    toolsWith('destructive', route.env).some(({ name }) => chosen.has(name))

  const create = useAction(
    async () => {
      const created = await call('createAgent', {
        params: route.params,
        body: {
          label: label.trim(),
          tools,
          expiresInHours: Number(hours),
          ...(canBeUnattended && unattended && { unattended }),
          ...(asksForProof && proof.proof),
        },
      })
      setToken(created.token)
      onCreated()
    },
    undefined,
    proof.spend,
  )

  if (token !== undefined) return <CreatedAgent route={route} token={token} onClose={onClose} />
  return (
    <FormDialog
      route={route}
      title="New agent"
      about="A program that acts for you in this environment, with its own token. It never has more rights than you."
      wide
      submit={`Create${inProduction(route)}`}
      disabled={label.trim() === '' || (asksForProof && !proof.proof)}
      action={create}
      onClose={onClose}
    >
      <TextField
        label="Label"
        hint="For example, the program’s name. Shown in the audit log."
        maxLength={LABEL_LENGTH_MAX}
        value={label}
        change={setLabel}
        autocomplete="off"
        autofocus
      />
      <Field label="Valid for" hint="You can revoke it at any time.">
        {(id, describedBy) => (
          <Select id={id} aria-describedby={describedBy} items={TIMES} value={hours} change={setHours} />
        )}
      </Field>
      <div class="stack">
        <Segments
          label="Tools"
          items={[
            { id: 'read', title: 'Read only' },
            { id: 'chosen', title: 'Choose tools' },
          ]}
          chosen={mode}
          choose={setMode}
        />
        <p class="small soft">{READS}</p>
      </div>
      {mode === 'chosen' && <ToolChoice env={route.env} chosen={chosen} choose={setChosen} />}
      {canBeUnattended && (
        <Check checked={unattended} change={setUnattended}>
          Skip approval of destructive calls (development only)
        </Check>
      )}
      {asksForProof && (
        <ProofField of={proof} hint="Required for an agent that changes something in production." />
      )}
    </FormDialog>
  )
}

function CreatedAgent({ route, token, onClose }: { route: Route; token: string; onClose: () => void }) {
  const [isStored, setStored] = useState(false)
  return (
    <InfoDialog
      route={route}
      title="Your agent’s token"
      label="New agent"
      about="Copy it now. You won’t be able to see it again."
      isKept={!isStored}
      onClose={onClose}
    >
      <CopiedValue text={token} label="Copy token" />
      <p class="small soft">
        MCP clients connect with this file, <code>.mcp.json</code> in your project folder. It contains the
        token, so do not commit it.
      </p>
      <Snippet label=".mcp.json" code={clientConfig(location.origin, token)} />
      <p class="small soft">To keep the token out of the file, run this in that folder instead:</p>
      <Snippet label="Commands" code={agentCommands(route.env)} />
      <Check checked={isStored} change={setStored}>
        I saved it
      </Check>
    </InfoDialog>
  )
}
