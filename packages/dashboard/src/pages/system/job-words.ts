/** What each job of the service does, by its name. */
const JOBS: Record<string, string> = {
  'agents.purge': 'Delete agents that ended long ago',
  'developers.purge': 'Delete expired sessions and links of developers',
  'functions.hourly': 'Delete unused data of functions, and resume those that are paid',
  'functions.storage': 'Charge stored data of functions',
  'hosting.sweep': 'Delete files that no version uses',
  'idempotency.purge': 'Delete answers kept for repeated requests',
  'mail.purge': 'Delete old mails',
  'mail.purge-limits': 'Delete old counts of sent mails',
  'members.purge': 'Delete expired invitations and transfers',
  'money.charge': 'Charge usage',
  'money.checkouts': 'Check open payments',
  'money.days': 'Delete old usage per day',
  'money.old-months': 'Charge usage of earlier months',
  'money.verify': 'Verify the ledger',
  'news.purge': 'Delete old data of the news',
  'oauth.purge': 'Delete expired external sign-ins',
  'personal-data.purge': 'Delete data of deleted players',
  'players.purge': 'Delete expired links and old activity of players',
  'playground.purge': 'Delete players of the playground',
  'projects.purge': 'Delete data of deleted projects',
  'revocations.purge': 'Delete old revocations',
  'sessions.purge': 'Delete expired sessions of players',
  'sharing.sweep': 'Delete old links and pictures',
  'sharing.visitors': 'Delete data of visitors',
  'stats.leaderboards': 'End periods of leaderboards',
  'stats.purge-leaderboards': 'Delete old leaderboards',
  'system.backup': 'Write and verify a backup',
}

/** What a job does, in words; its name if it is unknown. */
export const describeJob = (name: string): string => JOBS[name] ?? name
