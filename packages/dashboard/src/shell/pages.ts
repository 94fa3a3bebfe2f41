import type { ComponentType } from 'preact'

import type { CallName } from '../developer.ts'
import { lazy } from '../lazy.tsx'
import type { Route } from '../route.ts'
import {
  AccountIcon,
  AgentsIcon,
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
  TeamIcon,
  WebhooksIcon,
} from '../ui/icons.ts'

type LazyPage<P> = ComponentType<P> & { preload(): Promise<unknown> }
type Load<P> = Parameters<typeof lazy<P & object>>[0]
export type PageEntry = {
  id: string
  title: string
  icon: IconType
  /** After `g`, this key opens the page. */
  key: string
  page: LazyPage<{ route: Route }>
  /** Without this call there is nothing on the page: those whose role does not allow it see the reason. */
  needs?: CallName | undefined
}

/** The id, which is part of the address, is the title in small letters. */
const page = (
  key: string,
  title: string,
  icon: IconType,
  load: Load<{ route: Route }>,
  needs?: CallName,
): PageEntry => ({
  id: title.toLowerCase(),
  title,
  icon,
  key,
  page: lazy(load),
  needs,
})

/** The pages of an environment, as the rail shows them. */
export const GROUPS: { title?: string; pages: PageEntry[] }[] = [
  {
    pages: [
      page('o', 'Overview', OverviewIcon, () => import('../pages/overview/overview.tsx')),
      page('p', 'Players', PlayersIcon, () => import('../pages/players/players.tsx'), 'searchPlayers'),
      page('l', 'Live', LiveIcon, () => import('../pages/live/live.tsx'), 'readLiveView'),
      page(
        'm',
        'Moderation',
        ModerationIcon,
        () => import('../pages/moderation/moderation.tsx'),
        'listAppeals',
      ),
    ],
  },
  {
    title: 'Build',
    pages: [
      page('h', 'Hosting', HostingIcon, () => import('../pages/hosting/hosting.tsx')),
      page('f', 'Functions', FunctionsIcon, () => import('../pages/functions/functions.tsx')),
      page('b', 'Leaderboards', LeaderboardsIcon, () => import('../pages/leaderboards/leaderboards.tsx')),
      page('c', 'Config', ConfigIcon, () => import('../pages/config/config.tsx')),
      page('s', 'Share', ShareIcon, () => import('../pages/share/share.tsx')),
      page(
        'y',
        'Playground',
        PlaygroundIcon,
        () => import('../pages/playground/playground.tsx'),
        'createPlaygroundPlayers',
      ),
    ],
  },
  {
    title: 'Operate',
    pages: [
      page('r', 'Logs', LogsIcon, () => import('../pages/logs/logs.tsx'), 'listRequests'),
      page(
        'w',
        'Webhooks',
        WebhooksIcon,
        () => import('../pages/webhooks/webhooks.tsx'),
        'listWebhookDeliveries',
      ),
      page('e', 'Mailbox', MailboxIcon, () => import('../pages/mailbox/mailbox.tsx'), 'listMails'),
      page('k', 'Keys', KeysIcon, () => import('../pages/keys/keys.tsx')),
      page('i', 'Agents', AgentsIcon, () => import('../pages/agents/agents.tsx'), 'listAgents'),
      page('a', 'Audit', AuditIcon, () => import('../pages/audit/audit.tsx'), 'listAudit'),
      page('t', 'Team', TeamIcon, () => import('../pages/team/team.tsx')),
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

const accountPage = (title: string, icon: IconType, load: Load<object>): AccountPage => ({
  id: title.toLowerCase(),
  title,
  icon,
  page: lazy(load),
})

/** The pages that belong to no project. */
export const ACCOUNT_PAGES: readonly AccountPage[] = [
  accountPage('Projects', OverviewIcon, () => import('../pages/projects/projects.tsx')),
  { ...accountPage('Billing', BillingIcon, () => import('../pages/billing/billing.tsx')), needs: 'billing' },
  accountPage('Account', AccountIcon, () => import('../pages/account/account.tsx')),
  { ...accountPage('System', SystemIcon, () => import('../pages/system/system.tsx')), needs: 'operator' },
]

/** Not in a menu: the command line, a client of agents, a link in an email or a dialog opens them. */
export const UNLISTED_PAGES: readonly Pick<AccountPage, 'id' | 'title' | 'page'>[] = [
  {
    id: 'authorize',
    title: 'Connect an agent',
    page: lazy(() => import('../pages/authorize/authorize.tsx')),
  },
  {
    id: 'confirm',
    title: 'Confirm that it is you',
    page: lazy(() => import('../pages/confirm/confirm.tsx')),
  },
  { id: 'device', title: 'Sign in the command line', page: lazy(() => import('../pages/device/device.tsx')) },
  {
    id: 'invitations',
    title: 'Invitation',
    page: lazy(() => import('../pages/invitation/invitation.tsx')),
  },
  { id: 'approvals', title: 'Approval', page: lazy(() => import('../pages/approvals/approvals.tsx')) },
]
