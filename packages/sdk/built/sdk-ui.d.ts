/* Written by `npm run generate`; do not edit. */

import type { Player, Svc } from './sdk.js';

/** What `openSignIn` takes. */
export type SignInOptions = {
    /** Like `pt-BR`; the browser's own when left out. */
    language?: string;
    /** What the dialog shows first: sign-in or sign-up. */
    start?: Mode;
    /** A plain look, themed by the custom properties `--svc-…`; without it the dialog has no style but your page's. */
    styled?: boolean;
};

/**
 * A dialog to sign in or to create an account; a guest who creates one keeps everything. If the account already belongs to another
 * player, the dialog switches to that player; a guest who has saves or stats is asked first.
 * Resolves with the player, or with null if the dialog was closed.
 */
export declare function openSignIn(svc: Svc, options?: SignInOptions): Promise<Player | null>;

type Mode = 'signIn' | 'signUp' | 'forgot';

export {};
