import { useEffect } from 'preact/hooks'

import { address } from '../route.ts'
import { Icon } from '../ui/icon.tsx'
import { AccountMenu, useAccountPages } from './account-menu.tsx'
import { Logo } from './logo.tsx'
import { ACCOUNT_PAGES, UNLISTED_PAGES } from './pages.ts'
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

  const links = pages.map((one) => ({
    ...one,
    href: address([one.id]),
    current: one.id === page ? ('page' as const) : undefined,
  }))
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
              {links.map((link) => (
                <a
                  key={link.id}
                  class="nav-item"
                  href={link.href}
                  aria-current={link.current}
                  title={link.title}
                >
                  <Icon of={link.icon} />
                  <span class="nav-text">{link.title}</span>
                </a>
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
          {links.map((link) => (
            <a key={link.id} href={link.href} aria-current={link.current}>
              <Icon of={link.icon} size={20} />
              {link.title}
            </a>
          ))}
        </nav>
      }
    >
      {Page && <Page key={page} />}
    </Frame>
  )
}
