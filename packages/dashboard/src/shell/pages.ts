import type { ComponentType } from 'preact'

import { lazy } from '../lazy.tsx'
import type { Route } from '../route.ts'
import {
  AccountIcon,
  AuditIcon,
  BillingIcon,
  ConfigIcon,
  FunctionsIcon,
  HostingIcon,
  type IconType,
  KeysIcon,
  LeaderboardsIcon,
  LiveIcon,
  LogsIcon,
  MailboxIcon,
  ModerationIcon,
  OverviewIcon,
  PlayersIcon,
  PlaygroundIcon,
  ShareIcon,
  SystemIcon,
  WebhooksIcon,
} from '../ui/icons.ts'

type LazyPage<P> = ComponentType<P> & { preload(): Promise<unknown> }
export type PageEntry = {
  id: string
  title: string
  icon: IconType
  /** After `g`, this key opens the page. */
  key: string
  page: LazyPage<{ route: Route }>
}

/** The pages of an environment, as the rail shows them. */
export const GROUPS: { title?: string; pages: PageEntry[] }[] = [
  {
    pages: [
      {
        id: 'overview',
        title: 'Overview',
        icon: OverviewIcon,
        key: 'o',
        page: lazy(async () => (await import('../pages/overview/overview.tsx')).Overview),
      },
      {
        id: 'players',
        title: 'Players',
        icon: PlayersIcon,
        key: 'p',
        page: lazy(async () => (await import('../pages/players/players.tsx')).Players),
      },
      {
        id: 'live',
        title: 'Live',
        icon: LiveIcon,
        key: 'l',
        page: lazy(async () => (await import('../pages/live/live.tsx')).Live),
      },
      {
        id: 'moderation',
        title: 'Moderation',
        icon: ModerationIcon,
        key: 'm',
        page: lazy(async () => (await import('../pages/moderation/moderation.tsx')).Moderation),
      },
    ],
  },
  {
    title: 'Build',
    pages: [
      {
        id: 'hosting',
        title: 'Hosting',
        icon: HostingIcon,
        key: 'h',
        page: lazy(async () => (await import('../pages/hosting/hosting.tsx')).Hosting),
      },
      {
        id: 'functions',
        title: 'Functions',
        icon: FunctionsIcon,
        key: 'f',
        page: lazy(async () => (await import('../pages/functions/functions.tsx')).Functions),
      },
      {
        id: 'leaderboards',
        title: 'Leaderboards',
        icon: LeaderboardsIcon,
        key: 'b',
        page: lazy(async () => (await import('../pages/leaderboards/leaderboards.tsx')).Leaderboards),
      },
      {
        id: 'config',
        title: 'Config',
        icon: ConfigIcon,
        key: 'c',
        page: lazy(async () => (await import('../pages/config/config.tsx')).Config),
      },
      {
        id: 'share',
        title: 'Share',
        icon: ShareIcon,
        key: 's',
        page: lazy(async () => (await import('../pages/share/share.tsx')).Share),
      },
      {
        id: 'playground',
        title: 'Playground',
        icon: PlaygroundIcon,
        key: 'y',
        page: lazy(async () => (await import('../pages/playground/playground.tsx')).Playground),
      },
    ],
  },
  {
    title: 'Operate',
    pages: [
      {
        id: 'logs',
        title: 'Logs',
        icon: LogsIcon,
        key: 'r',
        page: lazy(async () => (await import('../pages/logs/logs.tsx')).Logs),
      },
      {
        id: 'webhooks',
        title: 'Webhooks',
        icon: WebhooksIcon,
        key: 'w',
        page: lazy(async () => (await import('../pages/webhooks/webhooks.tsx')).Webhooks),
      },
      {
        id: 'mailbox',
        title: 'Mailbox',
        icon: MailboxIcon,
        key: 'e',
        page: lazy(async () => (await import('../pages/mailbox/mailbox.tsx')).Mailbox),
      },
      {
        id: 'keys',
        title: 'Keys',
        icon: KeysIcon,
        key: 'k',
        page: lazy(async () => (await import('../pages/keys/keys.tsx')).Keys),
      },
      {
        id: 'audit',
        title: 'Audit',
        icon: AuditIcon,
        key: 'a',
        page: lazy(async () => (await import('../pages/audit/audit.tsx')).Audit),
      },
    ],
  },
]

/** All pages of an environment. */
export const PAGES: readonly PageEntry[] = GROUPS.flatMap(({ pages }) => pages)
/** On phones a bar shows these; the others are in a menu. */
export const PHONE_PAGES: readonly string[] = ['overview', 'players', 'live', 'moderation']

/** Loads the script of a page before it is shown. */
export const preloadPage = (id: string) =>
  void PAGES.find((page) => page.id === id)
    ?.page.preload()
    .catch(() => {})

export type AccountPage = {
  id: string
  title: string
  icon: IconType
  page: LazyPage<object>
  /** Shown only if this is true of the service or the developer. */
  needs?: 'billing' | 'operator'
}

/** The pages that belong to no project. */
export const ACCOUNT_PAGES: readonly AccountPage[] = [
  {
    id: 'projects',
    title: 'Projects',
    icon: OverviewIcon,
    page: lazy(async () => (await import('../pages/projects/projects.tsx')).Projects),
  },
  {
    id: 'billing',
    title: 'Billing',
    icon: BillingIcon,
    page: lazy(async () => (await import('../pages/billing/billing.tsx')).Billing),
    needs: 'billing',
  },
  {
    id: 'account',
    title: 'Account',
    icon: AccountIcon,
    page: lazy(async () => (await import('../pages/account/account.tsx')).Account),
  },
  {
    id: 'system',
    title: 'System',
    icon: SystemIcon,
    page: lazy(async () => (await import('../pages/system/system.tsx')).System),
    needs: 'operator',
  },
]

/** Not in a menu: a link of the command line opens it. */
export const UNLISTED_PAGES: readonly Pick<AccountPage, 'id' | 'title' | 'page'>[] = [
  {
    id: 'device',
    title: 'Sign in the command line',
    page: lazy(async () => (await import('../pages/device/device.tsx')).Device),
  },
]
