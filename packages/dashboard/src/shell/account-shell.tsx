import { useEffect } from 'preact/hooks'

import { address } from '../route.ts'
import { Icon } from '../ui/icon.tsx'
import { AccountMenu, useAccountPages } from './account-menu.tsx'
import { Logo } from './logo.tsx'
import { ACCOUNT_PAGES, UNLISTED_PAGES } from './pages.ts'
import { NavLink } from './rail.tsx'
import { Frame } from './shell.tsx'

/** The frame around the pages that belong to no project. */
export function AccountShell({ page }: { page: string }) {
  const pages = useAccountPages()
  const entry = [...ACCOUNT_PAGES, ...UNLISTED_PAGES].find((one) => one.id === page)
  const Page = entry?.page
  const title = entry?.title ?? ''
  useEffect(() => {
    document.title = `${title} · svc`
  }, [title])

  return (
    <Frame
      rail={
        <nav class="rail" aria-label="Account">
          <a class="project" href={address(['projects'])} title="Projects">
            <span class="project-mark">
              <Logo size={15} />
            </span>
            <span class="nav-text grow">svc</span>
          </a>
          <div class="rail-scroll">
            <div class="nav-group">
              {pages.map((one) => (
                <NavLink key={one.id} entry={one} href={address([one.id])} isCurrent={one.id === page} />
              ))}
            </div>
          </div>
          <AccountMenu where="rail" />
        </nav>
      }
      top={
        <header class="top">
          <p class="crumbs is-alone">
            <span>{title}</span>
          </p>
          <span class="grow" />
          <div class="top-phone">
            <AccountMenu where="top" />
          </div>
        </header>
      }
      tabs={
        <nav class="tabs" aria-label="Pages">
          {pages.map(({ id, title: name, icon }) => (
            <a key={id} href={address([id])} aria-current={id === page ? 'page' : undefined}>
              <Icon of={icon} size={20} />
              {name}
            </a>
          ))}
        </nav>
      }
    >
      {Page && <Page key={page} />}
    </Frame>
  )
}
