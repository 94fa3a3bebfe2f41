/** What each job of the service does, by its name. */
const JOBS: Record<string, string> = {
  'agents.purge': 'Delete old agents',
  'developers.purge': 'Delete expired developer sessions and links',
  'functions.hourly': 'Delete unused functions data, and resume paid functions',
  'functions.storage': 'Charge functions storage',
  'hosting.sweep': 'Delete unused files',
  'idempotency.purge': 'Delete responses kept for repeated requests',
  'mail.purge': 'Delete old emails',
  'mail.purge-limits': 'Delete old email counts',
  'members.purge': 'Delete expired invitations and transfers',
  'money.charge': 'Charge usage',
  'money.checkouts': 'Check open payments',
  'money.days': 'Delete old daily usage',
  'money.old-months': 'Charge usage from earlier months',
  'money.verify': 'Verify the ledger',
  'news.purge': 'Delete old news data',
  'oauth.purge': 'Delete expired external sign-ins',
  'personal-data.purge': 'Delete deleted players’ data',
  'players.purge': 'Delete expired player links and old activity',
  'playground.purge': 'Delete Playground players',
  'projects.purge': 'Delete deleted projects’ data',
  'revocations.purge': 'Delete old revocations',
  'sessions.purge': 'Delete expired player sessions',
  'sharing.sweep': 'Delete old links and images',
  'sharing.visitors': 'Delete visitor data',
  'stats.leaderboards': 'Close leaderboard periods',
  'stats.purge-leaderboards': 'Delete old leaderboards',
  'system.backup': 'Write and verify a backup',
}

/** What a job does, in words; its name if it is unknown. */
export const describeJob = (name: string): string => JOBS[name] ?? name
