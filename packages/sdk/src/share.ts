import { SvcError } from './errors.ts'

/** What a share link shows. */
export type NewShareLink = { kind: string; score?: number; showName?: boolean }
/** `svc.share`. */
export type Share = ReturnType<typeof createShare>
/** A share link and its card. */
export type ShareLink = { url: string; imageUrl: string; intentUrl: string }

/** Share links: not offered by the service yet, and said so in the same way as every refusal. */
export const createShare = () => ({
  create: async (_link: NewShareLink): Promise<ShareLink> => {
    throw new SvcError('not_available', { message: 'share links are not available yet' })
  },
})
