/**
 * The end of the name of the session in a frame of the dashboard's Playground; empty elsewhere. Frames share one storage, and each is
 * a player of its own. Only in development: the page around a frame names it, and must not choose the session of a real player.
 */
export const playgroundFrame = (page: Window | undefined, key: string): string =>
  key.startsWith('pk_dev_') && page?.name.startsWith('svc-play-') ? `.${page.name}` : ''
