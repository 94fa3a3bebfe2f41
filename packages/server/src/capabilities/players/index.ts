export { createAccountOwner } from './account-owner.ts'
export { createAccounts, viewIn } from './accounts.ts'
export { createActivity } from './activity.ts'
export { createActivityStore } from './activity-store.ts'
export { createPlayerCounts } from './counts.ts'
export { createCountStore } from './counts-store.ts'
export { createDeletions } from './deletions.ts'
export { createDeletionStore } from './deletions-store.ts'
export { createEmailAccounts } from './email/accounts.ts'
export { createAddressStore } from './email/address-store.ts'
export { createEmailLinks } from './email/links.ts'
export { emailPages } from './email/pages.ts'
export { createEmailStore } from './email/store.ts'
export { createIdentities } from './identities/identities.ts'
export { createXProfileStore } from './identities/x-profile-store.ts'
export { createXProfiles } from './identities/x-profiles.ts'
export { createLeaderboardVisibility } from './leaderboard-visibility.ts'
export { createPersonalData } from './personal-data.ts'
export { createPersonalDataStore } from './personal-data-store.ts'
export {
  emailRoutes,
  identityRoutes,
  leaderboardVisibilityRoutes,
  playersRoutes,
  searchRoutes,
  xProfileRoutes,
} from './routes.ts'
export { createSearch, type SearchDeps } from './search/search.ts'
export { createSearchStore } from './search/store.ts'
export { createPlayerStore, FOREVER, joinPlayer, joinView, selectMayWrite } from './store.ts'
