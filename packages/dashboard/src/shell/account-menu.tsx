import { useLocation } from 'preact-iso'

import { call } from '../developer.ts'
import { useCall } from '../queries.ts'
import { address, BASE } from '../route.ts'
import { forgetToken } from '../session.ts'
import { type Theme, theme } from '../theme.ts'
import { Icon } from '../ui/icon.tsx'
import {
  CheckIcon,
  type IconType,
  MonitorIcon,
  MoonIcon,
  MoreIcon,
  OpenIcon,
  SignOutIcon,
  SunIcon,
} from '../ui/icons.ts'
import { Menu } from '../ui/menu.tsx'
import { Avatar } from '../ui/parts.tsx'
import { ACCOUNT_PAGES, type AccountPage } from './pages.ts'

const THEMES: { id: Theme; title: string; icon: IconType }[] = [
  { id: 'light', title: 'Light', icon: SunIcon },
  { id: 'dark', title: 'Dark', icon: MoonIcon },
  { id: 'system', title: 'System', icon: MonitorIcon },
]

/** The account pages that this developer has. */
export function useAccountPages(): readonly AccountPage[] {
  const me = useCall('readMe', {})
  const info = useCall('readPlatformInfo', {})
  return ACCOUNT_PAGES.filter(({ needs }) => {
    if (needs === 'operator') return me.data?.developer.isOperator === true
    if (needs === 'billing') return info.data !== undefined && info.data.billing !== 'off'
    return true
  })
}

/** The menu of the developer: account pages, theme, sign-out. `where` distinguishes two of them in one page. */
export function AccountMenu({ where }: { where: string }) {
  const { data } = useCall('readMe', {})
  const { route: goTo } = useLocation()
  const pages = useAccountPages()
  const id = `account-${where}`
  const me = data?.developer
  const shown = me?.name ?? me?.email ?? ''

  const signOut = async () => {
    await call('logOut', {}).catch(() => undefined)
    forgetToken()
    goTo(BASE)
  }
  return (
    <>
      <button type="button" class="project account" popovertarget={id} title="Account">
        <Avatar name={shown} id={me?.id ?? ''} />
        <bdi class="nav-text grow cut">{shown}</bdi>
        <span class="visually-hidden">Account menu</span>
        <Icon of={MoreIcon} size={14} class="nav-text faint" />
      </button>
      <Menu id={id} label="Account">
        <p class="menu-note">
          <bdi>{me?.email}</bdi>
        </p>
        {pages.map((page) => (
          <a key={page.id} href={address([page.id])}>
            <Icon of={page.icon} /> {page.title}
          </a>
        ))}
        <a href="/docs" target="_blank" rel="noreferrer">
          <Icon of={OpenIcon} /> Docs
        </a>
        <hr />
        {THEMES.map(({ id: name, title, icon }) => (
          <button
            key={name}
            type="button"
            onClick={() => (theme.value = name)}
            aria-pressed={theme.value === name}
          >
            <Icon of={icon} /> <span class="grow">{title}</span>
            {theme.value === name && <Icon of={CheckIcon} size={14} />}
          </button>
        ))}
        <hr />
        <button type="button" onClick={() => void signOut()}>
          <Icon of={SignOutIcon} /> Sign out
        </button>
      </Menu>
    </>
  )
}
