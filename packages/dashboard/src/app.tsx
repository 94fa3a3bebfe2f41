import type { ProjectView } from '@svc/contract/projects'
import { LocationProvider, useLocation } from 'preact-iso'
import { useEffect } from 'preact/hooks'

import { lazy } from './lazy.tsx'
import { address, BASE, usePath, usePlace } from './place.ts'
import { forgetAnswers, useCall } from './queries.ts'
import { token } from './session.ts'
import { AccountShell } from './shell/account-shell.tsx'
import { ACCOUNT_PAGES, preloadPage, UNLISTED_PAGES } from './shell/pages.ts'
import { Shell } from './shell/shell.tsx'
import { Messages } from './ui/messages.tsx'
import { ErrorNotice } from './ui/states.tsx'

const SignIn = lazy(async () => (await import('./pages/sign-in/sign-in.tsx')).SignIn)
const NewProject = lazy(async () => (await import('./pages/projects/new-project.tsx')).NewProject)

/** `slug/environment` that was last open in this browser. */
const LAST_PLACE = 'svc.place'

export const App = () => (
  <LocationProvider scope={BASE}>
    {token.value === null ? <SignIn /> : <SignedIn key={token.value} />}
    <Messages />
  </LocationProvider>
)

function SignedIn() {
  const { data, error, again } = useCall('listProjects', {})
  const path = usePath()
  const [first = '', second = ''] = path
  useEffect(() => {
    preloadPage(path[2] ?? 'overview')
    return forgetAnswers
  }, [])

  const isProjectAddress = second === 'development' || second === 'production'
  if (!isProjectAddress && [...ACCOUNT_PAGES, ...UNLISTED_PAGES].some(({ id }) => id === first))
    return <AccountShell page={first} />
  if (!data)
    return (
      <main class="alone" aria-busy="true">
        <h1 class="visually-hidden">Dashboard</h1>
        {error && <ErrorNotice error={error} again={again} />}
      </main>
    )
  if (data.projects.length === 0 || first === 'new') return <NewProject first={data.projects.length === 0} />
  return <InProject projects={data.projects} />
}

function InProject({ projects }: { projects: readonly ProjectView[] }) {
  const here = usePlace(projects)
  const { route } = useLocation()
  const path = usePath()
  useEffect(() => {
    if (here) return localStorage.setItem(LAST_PLACE, `${here.project.slug}/${here.env}`)
    // An address of a project that is gone, or not this developer's.
    if (path.length > 1) return route(address(['projects']), true)
    const [slug, env = 'development'] = (localStorage.getItem(LAST_PLACE) ?? '').split('/')
    const project = projects.find((one) => one.slug === (path[0] ?? slug)) ?? projects[0]
    if (project) route(address([project.slug, env, 'overview']), true)
  }, [here?.project.slug, here?.env, path.join('/')])
  return here ? <Shell here={here} /> : <main class="alone" aria-busy="true" />
}
