import { useLocation } from 'preact-iso'
import { useEffect, useState } from 'preact/hooks'

import { call, type ResponseOf } from '../../developer.ts'
import { download, newId } from '../../platform.ts'
import { refresh } from '../../queries.ts'
import { address, environmentTitle } from '../../route.ts'
import { Logo } from '../../shell/logo.tsx'
import { submits, useAction } from '../../ui/action.ts'
import { Button } from '../../ui/button.tsx'
import { Check, TextField } from '../../ui/field.tsx'
import { focusOnMount } from '../../ui/focus.ts'
import { DownloadIcon } from '../../ui/icons.ts'
import { Copy } from '../../ui/parts.tsx'
import { ErrorNotice } from '../../ui/states.tsx'

type Created = ResponseOf<'createProject'>

/** Creates a project and shows its keys once. */
export default function NewProject({ first }: { first: boolean }) {
  const [created, setCreated] = useState<Created>()
  useEffect(() => {
    document.title = 'New project · svc'
  }, [])
  return (
    <main class="entry-main alone">
      <div class={created ? 'entry-form is-wide' : 'entry-form'}>
        <span class="logo">
          <Logo size={26} />
        </span>
        {created ? <NewKeys created={created} /> : <NameForm first={first} onCreated={setCreated} />}
      </div>
    </main>
  )
}

function NameForm({ first, onCreated }: { first: boolean; onCreated: (created: Created) => void }) {
  const [name, setName] = useState('')
  // A second attempt after a lost response creates no second project.
  const [idempotencyKey] = useState(newId)
  const { run, busy, error } = useAction(async () => {
    onCreated(await call('createProject', { body: { name: name.trim() } }, { idempotencyKey }))
  })
  return (
    <>
      <header class="stack">
        <h1>{first ? 'Name your first project' : 'New project'}</h1>
        <p class="soft">A game or an app, with a development and a production environment.</p>
      </header>
      <form onSubmit={submits(run)} class="entry-fields">
        <TextField
          label="Name"
          hint={
            name.trim() ? (
              <>
                Its URL will be <code>{slugOf(name)}</code> and cannot be changed later.
              </>
            ) : (
              'You can change it later.'
            )
          }
          value={name}
          change={setName}
          required
          maxLength={80}
          placeholder="Star Duel"
          inputRef={focusOnMount}
        />
        {error && <ErrorNotice error={error} />}
        <Button kind="main" type="submit" busy={busy} disabled={!name.trim()} class="wide-button">
          Create project
        </Button>
        {!first && (
          <Button kind="quiet" onClick={() => history.back()}>
            Cancel
          </Button>
        )}
      </form>
    </>
  )
}

const slugOf = (name: string) =>
  name
    .trim()
    .toLowerCase()
    .normalize('NFKD')
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '') || 'app'

/** Shows the new secret keys as text, once: no other component and no storage contains them. */
function NewKeys({ created: { project, keys } }: { created: Created }) {
  const [areStored, setStored] = useState(false)
  const { route: goTo } = useLocation()
  const downloadFile = () => {
    const lines = [
      `# Keys for ${project.name}`,
      `SVC_URL=${location.origin}`,
      ...keys.map(
        ({ environment, type, key }) => `SVC_${environment.toUpperCase()}_${type.toUpperCase()}_KEY=${key}`,
      ),
      '',
    ]
    download(`${project.slug}.env`, 'text/plain', lines.join('\n'))
    setStored(true)
  }
  const proceed = () => {
    refresh('listProjects')
    goTo(address([project.slug, 'development', 'overview']))
  }
  return (
    <>
      <header class="stack">
        <h1>
          Keys for <bdi>{project.name}</bdi>
        </h1>
        <p class="soft">Copy the secret keys now. You won’t be able to see them again.</p>
      </header>
      {(['development', 'production'] as const).map((environment) => (
        <section key={environment} class="card key-card" data-env={environment}>
          <h2 class="key-env" data-env={environment}>
            <span class="env-dot" aria-hidden="true" />
            {environmentTitle(environment)}
          </h2>
          {keys
            .filter((one) => one.environment === environment)
            .map(({ id, type, key }) => (
              <div class="key-row" key={id}>
                <span class="stack tight grow">
                  <span class="tiny faint">
                    {type === 'secret'
                      ? 'Secret: for servers only, never in a page'
                      : 'Publishable: safe in a page'}
                  </span>
                  <code class="cut small">{key}</code>
                </span>
                <Copy text={key} label={`Copy ${environment} ${type} key`} />
              </div>
            ))}
        </section>
      ))}
      <Check checked={areStored} change={setStored}>
        I saved the keys
      </Check>
      <div class="row">
        <Button icon={DownloadIcon} onClick={downloadFile}>
          Download .env
        </Button>
        <span class="grow" />
        <Button kind="main" onClick={proceed} disabled={!areStored}>
          Continue
        </Button>
      </div>
    </>
  )
}
