import { useLocation } from 'preact-iso'
import { useEffect, useState } from 'preact/hooks'

import { useCall } from '../queries.ts'
import { address, type Route } from '../route.ts'
import { isDark, theme } from '../theme.ts'
import { Dialog } from '../ui/dialog.tsx'
import { Icon } from '../ui/icon.tsx'
import { AccountIcon, GlobeIcon, type IconType, MoonIcon, NextIcon, SearchIcon } from '../ui/icons.ts'
import { useAccountPages } from './account-menu.tsx'
import { PAGES } from './pages.ts'

type Command = { id: string; icon: IconType; title: string; note: string; run: () => void }

const SHOWN_MAX = 12
const SEARCH_LENGTH_MIN = 2

/** Ctrl-K: every page, project and player, by a few letters. */
export function CommandPalette({ route, onClose }: { route: Route; onClose: () => void }) {
  const [text, setText] = useState('')
  const [at, setAt] = useState(0)
  /** Enter was pressed before the players of these letters were known. */
  const [opensFirst, setOpensFirst] = useState(false)
  const { route: goTo } = useLocation()
  const accountPages = useAccountPages()
  const query = text.trim()
  const searches = query.length >= SEARCH_LENGTH_MIN
  const projects = useCall('listProjects', {})
  const found = useCall(
    'searchPlayers',
    { params: route.params, query: { q: query, limit: 5 } },
    { enabled: searches },
  )

  const other = route.env === 'production' ? 'development' : 'production'
  const commands: Command[] = [
    ...PAGES.map(({ id, title, icon }) => ({ id, title, icon, note: 'Page', run: () => route.go(id) })),
    {
      id: 'environment',
      icon: GlobeIcon,
      title: `Switch to ${other}`,
      note: 'Environment',
      run: () => goTo(address([route.project.slug, other, route.page])),
    },
    ...accountPages.map(({ id, title, icon }) => ({
      id: `account-${id}`,
      icon,
      title,
      note: 'Account',
      run: () => goTo(address([id])),
    })),
    ...(projects.data?.projects ?? [])
      .filter(({ id }) => id !== route.project.id)
      .map(({ id, name, slug, role }) => ({
        id,
        icon: NextIcon,
        title: name,
        note: role === 'owner' ? 'Project' : `Project, ${role}`,
        run: () => goTo(address([slug, route.env, 'overview'])),
      })),
    {
      id: 'theme',
      icon: MoonIcon,
      title: isDark() ? 'Light theme' : 'Dark theme',
      note: 'Theme',
      run: () => (theme.value = isDark() ? 'light' : 'dark'),
    },
  ]
  const letters = query.toLowerCase()
  const isSearching = searches && found.data === undefined && found.error === null
  const players = searches ? (found.data?.players ?? []) : []
  const matching: Command[] = [
    ...commands.filter(({ title }) => title.toLowerCase().includes(letters)),
    ...players.map(({ id, displayName, email }) => ({
      id,
      icon: AccountIcon,
      title: displayName,
      note: email ?? id,
      run: () => route.go('players', id),
    })),
  ].slice(0, SHOWN_MAX)
  const chosen = matching[Math.min(at, matching.length - 1)]

  const run = (command: Command) => {
    onClose()
    command.run()
  }
  useEffect(() => {
    if (!opensFirst || isSearching) return
    setOpensFirst(false)
    if (chosen) run(chosen)
  }, [opensFirst, isSearching])
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Enter') {
      event.preventDefault()
      if (chosen) run(chosen)
      else setOpensFirst(isSearching)
    }
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    if (step === undefined || matching.length === 0) return
    event.preventDefault()
    setAt((at + step + matching.length) % matching.length)
  }
  return (
    <Dialog onClose={onClose} label="Search and commands" class="palette">
      <div class="palette-top">
        <Icon of={SearchIcon} />
        <input
          role="combobox"
          aria-expanded="true"
          aria-controls="palette-list"
          aria-activedescendant={chosen && `command-${chosen.id}`}
          aria-label="Search pages, projects and players"
          placeholder="Search pages, projects and players"
          value={text}
          onInput={(event) => {
            setText(event.currentTarget.value)
            setAt(0)
            setOpensFirst(false)
          }}
          onKeyDown={onKeyDown}
          autofocus
          spellcheck={false}
        />
      </div>
      <ul id="palette-list" role="listbox" aria-label="Results">
        {matching.map((command, index) => (
          <li
            key={command.id}
            id={`command-${command.id}`}
            role="option"
            aria-selected={command === chosen}
            onPointerMove={() => setAt(index)}
            onClick={() => run(command)}
          >
            <Icon of={command.icon} />
            <bdi class="grow cut">{command.title}</bdi>
            <bdi class="tiny faint cut">{command.note}</bdi>
          </li>
        ))}
        {matching.length === 0 && (
          <li class="faint small" role="option" aria-selected="false">
            {isSearching ? 'Searching…' : 'Nothing found'}
          </li>
        )}
      </ul>
    </Dialog>
  )
}
