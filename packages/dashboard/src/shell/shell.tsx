import { signal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { useEffect, useLayoutEffect } from 'preact/hooks'

import { isReachable } from '../developer.ts'
import { useEvents } from '../events.ts'
import { reasonAgainst } from '../roles.ts'
import type { Route } from '../route.ts'
import { SearchIcon } from '../ui/icons.ts'
import { isShortcut } from '../ui/keys.ts'
import { useListKeys } from '../ui/list-keys.ts'
import { Page as PageFrame } from '../ui/page.tsx'
import { EmptyState, NotInRole } from '../ui/states.tsx'
import { CommandPalette } from './command-palette.tsx'
import { PAGES } from './pages.ts'
import { PhoneTabs, Rail } from './rail.tsx'
import { ShortcutsDialog } from './shortcuts-dialog.tsx'
import { TopBar } from './top-bar.tsx'

type Overlay = 'none' | 'palette' | 'shortcuts'
const overlay = signal<Overlay>('none')
const closeOverlay = () => (overlay.value = 'none')
const openPalette = () => (overlay.value = 'palette')

/** How long after `g` a letter opens a page. */
const JUMP_MS = 1_200

/** The frame around the pages of an environment: rail, top bar, keys. */
export function Shell({ route }: { route: Route }) {
  const { project, env, page } = route
  const entry = PAGES.find(({ id }) => id === page)
  const title = entry?.title ?? 'Not found'

  useEffect(() => {
    document.title = `${title} · ${project.name}${env === 'production' ? ' (production)' : ''}`
  }, [title, project.name, env])
  useShellKeys(route)
  useEvents(route)

  const Page = entry?.page
  const reason = entry?.needs && reasonAgainst(entry.needs, { role: project.role, env }, 'see this page')
  return (
    <Frame
      env={env}
      rail={<Rail route={route} />}
      top={<TopBar route={route} title={title} openPalette={openPalette} />}
      tabs={<PhoneTabs route={route} />}
    >
      {reason !== undefined ? (
        <PageFrame title={title}>
          <NotInRole inCard reason={reason} projectId={project.id} />
        </PageFrame>
      ) : Page ? (
        <Page route={route} key={`${project.id} ${env} ${page}`} />
      ) : (
        <div class="page">
          <EmptyState inCard icon={SearchIcon} title="Page not found">
            Its URL may have changed.
          </EmptyState>
        </div>
      )}
      {overlay.value === 'palette' && <CommandPalette route={route} onClose={closeOverlay} />}
      {overlay.value === 'shortcuts' && <ShortcutsDialog onClose={closeOverlay} />}
    </Frame>
  )
}

type FrameProps = {
  env?: string
  rail: ComponentChildren
  top: ComponentChildren
  tabs: ComponentChildren
  children: ComponentChildren
}

/** The frame of every page: rail, top bar, on phones tabs; `j` and `k` work in it. */
export function Frame({ env, rail, top, tabs, children }: FrameProps) {
  useListKeys()
  return (
    <div class="shell" data-env={env}>
      <a
        class="skip"
        href="#main"
        onClick={(event) => {
          event.preventDefault()
          document.getElementById('main')?.focus()
        }}
      >
        Skip to content
      </a>
      {rail}
      {top}
      <main id="main" tabIndex={-1}>
        {!isReachable.value && (
          <p class="unreachable" role="status">
            The service is not responding. You may be seeing old data. Retrying…
          </p>
        )}
        {children}
      </main>
      {tabs}
    </div>
  )
}

/** Ctrl-K, `g` and a letter, `/`, `?`. None of them changes data. */
function useShellKeys(route: Route) {
  // Before the page is painted: keys work as soon as it is visible.
  useLayoutEffect(() => {
    let jumpUntil = 0
    const onKey = (event: KeyboardEvent) => {
      if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === 'k') {
        event.preventDefault()
        openPalette()
        return
      }
      if (!isShortcut(event)) return
      if (event.timeStamp < jumpUntil) {
        jumpUntil = 0
        const to = PAGES.find(({ key }) => key === event.key)
        if (!to) return
        event.preventDefault()
        event.stopImmediatePropagation()
        route.go(to.id)
      } else if (event.key === 'g') jumpUntil = event.timeStamp + JUMP_MS
      else if (event.key === '?') overlay.value = 'shortcuts'
      else if (event.key === '/') {
        const search = document.querySelector<HTMLInputElement>('input[type=search]')
        if (!search) return
        event.preventDefault()
        search.focus()
      }
    }
    // Before the keys of pages: `g a` jumps, and does not accept an appeal.
    addEventListener('keydown', onKey, { capture: true })
    return () => removeEventListener('keydown', onKey, { capture: true })
  }, [route.project.slug, route.env])
}
