/* Written by `npm run generate`; do not edit. */

import type { Player, Svc } from './sdk.js';

/** What `openSignIn` takes. */
export type SignInOptions = {
    /** Language tag such as `pt-BR` (default: the language of the browser). */
    language?: string;
    /** What the dialog shows first: sign-in or sign-up. */
    start?: Mode;
    /** Adds a simple style, which the custom properties `--svc-…` change (default: only the styles of your page). */
    styled?: boolean;
};

/**
 * Opens a dialog to sign in or to create an account; a guest who creates one keeps all data. If the account already belongs to
 * another player, the dialog switches to that player; a guest who has saves or stats is asked first.
 * Resolves with the player, or with null if the dialog was closed.
 */
export declare function openSignIn(svc: Svc, options?: SignInOptions): Promise<Player | null>;

type Mode = 'signIn' | 'signUp' | 'forgot';

export {};
