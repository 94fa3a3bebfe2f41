import type { EnvironmentName } from '@svc/contract/common/schemas'

import { useCall } from '../queries.ts'
import { isAllowed } from '../roles.ts'
import { address, environmentTitle, type Route } from '../route.ts'
import { Icon } from '../ui/icon.tsx'
import { CheckIcon, LockIcon, MoreIcon, OverviewIcon, PlusIcon, SwitchIcon } from '../ui/icons.ts'
import { Menu } from '../ui/menu.tsx'
import { AccountMenu } from './account-menu.tsx'
import { GROUPS, type PageEntry, PAGES, PHONE_PAGES } from './pages.ts'

const APPEALS_EVERY_MS = 30_000

/** Beside a page: projects, environments, the pages of the environment, and the account. */
export function Rail({ route }: { route: Route }) {
  const open = useOpenAppeals(route)
  return (
    <nav class="rail" aria-label="Project">
      <ProjectMenu route={route} where="rail" />
      <EnvironmentSwitch route={route} />
      <div class="rail-scroll">
        {GROUPS.map(({ title, pages }) => (
          <div class="nav-group" key={title ?? ''}>
            {title && <h2 class="nav-title">{title}</h2>}
            {pages.map((entry) => (
              <NavLink
                key={entry.id}
                entry={entry}
                href={route.href(entry.id)}
                isCurrent={route.page === entry.id}
                count={entry.id === 'moderation' ? open : undefined}
                isLocked={entry.needs !== undefined && !isAllowed(entry.needs, route)}
              />
            ))}
          </div>
        ))}
      </div>
      <AccountMenu where="rail" />
    </nav>
  )
}

function useOpenAppeals(route: Route): string | undefined {
  const { data } = useCall(
    'listAppeals',
    { params: route.params, query: { status: 'open', limit: 100 } },
    { everyMs: APPEALS_EVERY_MS },
  )
  if (!data || data.appeals.length === 0) return undefined
  return `${data.appeals.length}${data.nextCursor ? '+' : ''}`
}

type NavLinkProps = {
  entry: Pick<PageEntry, 'title' | 'icon'> & { page: { preload(): Promise<unknown> } }
  href: string
  isCurrent: boolean
  count?: string | undefined
  /** The role of the developer does not include the page. */
  isLocked?: boolean
}

/** A page in the rail; its script is loaded when the pointer comes near. */
export const NavLink = ({
  entry: { title, icon, page },
  href,
  isCurrent,
  count,
  isLocked = false,
}: NavLinkProps) => (
  <a
    class="nav-item"
    href={href}
    aria-current={isCurrent ? 'page' : undefined}
    title={title}
    onPointerEnter={() => void page.preload().catch(() => {})}
  >
    <Icon of={icon} />
    <span class="nav-text">{title}</span>
    {count && (
      <span class="count tabular">
        {count}
        <span class="visually-hidden"> open</span>
      </span>
    )}
    {isLocked && (
      <>
        <Icon of={LockIcon} size={12} class="nav-text nav-lock faint" />
        <span class="visually-hidden">not part of your role</span>
      </>
    )}
  </a>
)

/** Switches to another project, in the same environment; those of others show the role. */
export function ProjectMenu({ route, where }: { route: Route; where: string }) {
  const id = `projects-${where}`
  const { data } = useCall('listProjects', {})
  return (
    <>
      <button type="button" class="project" popovertarget={id} title={route.project.name}>
        <span class="project-mark" aria-hidden="true">
          {Array.from(route.project.name)[0]}
        </span>
        <bdi class="nav-text grow cut">{route.project.name}</bdi>
        <Icon of={SwitchIcon} size={14} class="nav-text faint" />
      </button>
      <Menu id={id} label="Projects">
        <p class="menu-note">Projects</p>
        {data?.projects.slice(0, 12).map((project) => (
          <a key={project.id} href={address([project.slug, route.env, route.page])}>
            <bdi class="grow cut">{project.name}</bdi>
            {project.role !== 'owner' && <span class="tiny faint">{project.role}</span>}
            {project.id === route.project.id && <Icon of={CheckIcon} size={14} />}
          </a>
        ))}
        <hr />
        <a href={address(['projects'])}>
          <Icon of={OverviewIcon} /> All projects
        </a>
        <a href={address(['new'])}>
          <Icon of={PlusIcon} /> New project
        </a>
      </Menu>
    </>
  )
}

const ENVIRONMENTS: readonly EnvironmentName[] = ['development', 'production']

/** The environments differ by word, shape and color. */
const EnvironmentSwitch = ({ route }: { route: Route }) => (
  <div class="env-switch" role="group" aria-label="Environment">
    {ENVIRONMENTS.map((env) => (
      <a
        key={env}
        data-env={env}
        href={address([route.project.slug, env, route.page])}
        aria-current={route.env === env ? 'true' : undefined}
        title={environmentTitle(env)}
      >
        <span class="env-dot" aria-hidden="true" />
        <span class="env-long">{environmentTitle(env)}</span>
      </a>
    ))}
  </div>
)

/** On phones, below the page: the pages of `PHONE_PAGES`, and a menu with the others. */
export const PhoneTabs = ({ route }: { route: Route }) => (
  <nav class="tabs" aria-label="Pages">
    {PAGES.filter(({ id }) => PHONE_PAGES.includes(id)).map(({ id, title, icon }) => (
      <a key={id} href={route.href(id)} aria-current={route.page === id ? 'page' : undefined}>
        <Icon of={icon} size={20} />
        {title}
      </a>
    ))}
    <button
      type="button"
      popovertarget="more-pages"
      aria-current={PHONE_PAGES.includes(route.page) ? undefined : 'page'}
    >
      <Icon of={MoreIcon} size={20} />
      More
    </button>
    <Menu id="more-pages" label="More pages">
      {PAGES.filter(({ id }) => !PHONE_PAGES.includes(id)).map(({ id, title, icon }) => (
        <a key={id} href={route.href(id)}>
          <Icon of={icon} />
          {title}
        </a>
      ))}
    </Menu>
  </nav>
)
