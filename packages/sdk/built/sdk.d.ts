/* Written by `npm run generate`; do not edit. */

/** `svc.auth`: sign-in, sign-out and the account of the player. */
export type Auth = Email & Providers & Account & Sessions;

/** A channel the player is in. */
declare class Channel {
    #private;
    /** The name, with `@` if a server or a player owns the channel. */
    readonly name: string;
    /** Always the same array. */
    readonly members: ChannelMember[];
    /** Adds a listener; returns a function that removes it. */
    readonly on: On<ChannelEvents>;
    /** The rules of the channel. */
    get settings(): ChannelSettings;
    /** The player who made it, if a player did. */
    get owner(): string | null;
    /** What you may do in the channel now. */
    get self(): ChannelSelf;
    /** To everybody in the channel. Up to 16 KB of JSON, 20 a second. */
    send(type: string, data?: unknown): void;
    /** Its owner only. */
    moderate(moderation: Moderation): Promise<void>;
    /** Leaves the channel. */
    leave(): Promise<void>;
}

/** Who came and went while there was no connection is told before `reconnected`. */
export type ChannelEvents = {
    /** `from` is the id of a player, or `server`. Your own come back to you too. */
    message: [type: string, data: unknown, from: string, at: number];
    /** Another member joined. */
    member_joined: [member: ChannelMember];
    /** A member left. */
    member_left: [member: ChannelMember];
    /** A member, perhaps you, has a new `displayName`. */
    member_renamed: [member: ChannelMember];
    /** Whether you may send has changed. */
    self: [self: ChannelSelf];
    /** The connection was lost; messages wait until it is back. */
    reconnecting: [];
    /** The connection is back, and `members` is up to date. */
    reconnected: [];
    /**
     * You are no longer in it: `kicked`, `banned`, `deleted` …, or the code of what kept you from coming back. With `player_banned` the
     * error has `details`: `sanctionId`, `note`, and `expiresAt` in milliseconds or null.
     */
    closed: [reason: string, error?: SvcError];
    /** Something that was sent was refused. */
    warn: [error: SvcError];
};

/** A member of a channel; `displayName` is null for anonymous members. */
export type ChannelMember = {
    id: string;
    displayName: string | null;
};

/** A moderation operation on one player. */
export type Moderation = {
    op: "allowSend" | "ban" | "disallowSend" | "invite" | "kick" | "mute" | "unban" | "uninvite" | "unmute";
    playerId: string;
    seconds?: number;
};

/** The options of a new channel. */
export type NewChannel = {
    channel?: string;
    join?: "everyone" | "invited";
    send?: "everyone" | "server" | "speakers";
    maxMembers?: number;
    voice?: true | {
        mode: "sfu";
    };
};

/** The public part of the config. */
export type Definitions = {
    configVersion: number;
    resetTimeZone: string;
    audience: string;
    features: Record<string, boolean>;
    stats: {
        key: string;
        title: string | Record<string, string> | null;
        aggregation: string;
        maxPerSubmit: number | null;
    }[];
    modes: {
        key: string;
        title: string | Record<string, string> | null;
        minPlayers: number;
        maxPlayers: number;
        fillTimeoutSeconds: number;
        transport: string;
        p2p: {
            maxPlayers: number;
            relayOnly: boolean;
        };
    }[];
    auth: {
        email: boolean;
        providers: string[];
    };
    share: Record<string, boolean>;
    svcNews: {
        optIn: boolean;
    };
};

/**
 * Connects to the service as the player of the last visit, or as a guest: a new one, or after a sign-out the guest who signed in
 * on this device before.
 */
export declare function connect(options?: ConnectOptions): Promise<Svc>;

/** What `connect` takes; a page that the service hosts needs nothing. */
export type ConnectOptions = {
    /** Of the service, like `https://api.example.com`; a page that the service hosts needs neither this nor `key`. */
    url?: string;
    /** The publishable key (pk_…) of the environment. */
    key?: string;
    /** The address of the WebSocket (default: derived from `url`). */
    realtimeUrl?: string;
    /** Where the session is kept: `localStorage` in a page, memory elsewhere, unless you give another. */
    storage?: KeyValueStorage;
    /** Its name there. Without it the key is part of the name: give one if players are to stay when you change the key. */
    storageKey?: string;
    /** False: who has not signed in stays anonymous, and may listen to open channels; `svc.auth.signedIn` tells. */
    guest?: boolean;
    /** Of a new guest. */
    displayName?: string;
    /** Instead of what the machine offers; in Node 20 a `WebSocket` for rooms and channels. */
    platform?: Partial<Platform>;
};

/** A connected client, see `connect`. */
export type Svc = {
    /** Who plays. After the session has ended: who it was. Throws `signed_out` where there never was anybody. */
    readonly player: Player;
    /** Returns what stops it. */
    on: On<SessionEvents>;
    /** Sign-in, sign-out and the account of the player. */
    auth: Auth;
    /** Cloud saves of the player. */
    saves: Saves;
    /** Reports and reads stats. */
    stats: Stats;
    /** The public part of the config. */
    config: Config;
    /** Multiplayer rooms and matchmaking. */
    rooms: Rooms;
    /** Realtime channels. */
    channels: Channels;
    /** Loaded when it is first used. */
    p2p: {
        open(room: Room, options?: MeshOptions): Promise<Mesh>;
    };
    /** Share links; loaded when it is first used. */
    share: Share;
    /** Lets go of the connection; the session stays for the next visit. */
    close(): void;
};

/** Whether the error is an `SvcError`, with one of the codes if any are given. */
export declare const isSvcError: (error: unknown, ...codes: SvcErrorCode[]) => error is SvcError;

/** The one error of the SDK. Decide by `code`; `hint` is for the person who reads the console. */
export declare class SvcError extends Error {
    readonly name = "SvcError";
    /** What went wrong; use it in your program. */
    readonly code: SvcErrorCode;
    /** Of HTTP; 0 when the service has not answered. */
    readonly status: number;
    /** More about the error, by its code. */
    readonly details: Record<string, unknown>;
    /** What a developer can do about it. */
    readonly hint: string | undefined;
    /** With `version_conflict`: the save as it is now, or null when it was deleted. */
    current?: (SaveSummary & {
        data: unknown;
    }) | null;
    /**
     * With `identity_already_linked` after `link(…, { orSignIn: true })`: the current guest has saves or stats. Ask the player, then
     * call this to sign in as the player who owns the identity, whose name is in `details.displayName`. Works for 10 minutes.
     */
    signIn?: () => Promise<Player>;
    /** With `@svc/sdk/developer`: the id under which the service logged the request. */
    requestId?: string;
    constructor(code: SvcErrorCode, { message, status, details, cause }?: Refusal);
}

/** The codes of `SvcError`: those of the service and those of the SDK. */
export type SvcErrorCode = ErrorCode | PlayerSignInError | ClientErrorCode;

/** Direct connections to the players of a room. */
export type Mesh = {
    /** Adds a listener; returns a function that removes it. */
    on: On<MeshEvents>;
    /** The players that can be reached directly just now. */
    readonly players: RoomPlayer[];
    /** To all that are connected, or to some of them. */
    send(type: string, data?: unknown, { to, fast }?: SendOptions): void;
    close: () => void;
};

/** The events of a mesh. */
export type MeshEvents = {
    /** A message from another player. */
    message: [type: string, data: unknown, from: RoomPlayer];
    /** Messages to and from this player go directly now. */
    peer_open: [player: RoomPlayer];
    /** The direct connection to this player was closed. */
    peer_closed: [player: RoomPlayer];
};

/** Changes to a state: a key with a value replaces it, null deletes it. */
export type Patch = Record<string, unknown>;

/** State of a room or of a player: top-level keys are replaced, null deletes one. */
export type State = Record<string, unknown>;

/** What of `localStorage` the session needs. */
export type KeyValueStorage = {
    getItem(key: string): string | null;
    setItem(key: string, value: string): void;
    removeItem(key: string): void;
};

/** What the SDK takes from the machine it runs on. */
export type Platform = {
    /** Sends HTTP requests. */
    fetch: Fetch;
    /** Node 20 has none of its own: give `connect` one, such as that of the package `ws`. */
    WebSocket: WebSocketConstructor | undefined;
    /** Milliseconds. */
    now(): number;
    /** From 0 up to 1. */
    random(): number;
};

export type LinkOptions = ProviderOptions & {
    /**
     * If the account at the provider already belongs to another player, sign in as that player. A guest who has saves or stats is
     * not left without a question: then it fails with `identity_already_linked`, and `error.signIn()` switches.
     */
    orSignIn?: boolean;
};

/** An external provider. */
export type Provider = "apple" | "discord" | "google" | "x";

/** How the pages of the provider are shown. */
export type ProviderOptions = {
    /** `redirect` leaves the page; what came of it is in `svc.auth.returned` after the way back. */
    mode?: 'popup' | 'redirect';
    /** Where the provider's pages lead back to (default: this page). */
    redirectUrl?: string;
};

/** `replaced`: another tab or device of the player has taken over. `lost`: not back in time. */
export type RoomClosedReason = CloseReason | 'replaced' | 'lost' | 'signed_out' | (string & {});

/** What happens while there is no connection is told before `reconnected`: who came and went, and what is different now. */
export type RoomEvents = {
    /** Another player joined. */
    player_joined: [player: RoomPlayer];
    /** A player left; the seat is free. */
    player_left: [player: RoomPlayer, reason: RoomLeaveReason];
    /** A player lost the connection; the seat is kept for a while. */
    player_disconnected: [player: RoomPlayer];
    /** A player is connected again. */
    player_reconnected: [player: RoomPlayer];
    /** A player, perhaps you, has a new `displayName`. */
    player_renamed: [player: RoomPlayer];
    /** Another player's own state. */
    player_state: [player: RoomPlayer, state: State, patch: Patch];
    /**
     * The state all share; also what was changed here, in the order all get it. `from.id` is empty for what was changed while
     * there was no connection.
     */
    state: [state: State, patch: Patch, from: RoomPlayer];
    /** A message from another player. */
    message: [type: string, data: unknown, from: RoomPlayer];
    /** Another player is the host. */
    host_changed: [host: RoomPlayer];
    /** The host locked or unlocked the room. */
    locked: [locked: boolean];
    /** The connection was lost; the seat is kept for a while. What is sent meanwhile goes out afterwards. */
    reconnecting: [];
    /** Everything in the room object is up to date again. */
    reconnected: [];
    /** With `player_banned` the error has `details`: `sanctionId`, `note`, and `expiresAt` in milliseconds or null. */
    closed: [reason: RoomClosedReason, error?: SvcError];
    /** Something that was sent was refused. */
    warn: [error: SvcError];
    /** Of peer-to-peer rooms; `svc.p2p` listens to it. */
    signal: [from: string, kind: SignalKind, data: unknown, gen: number | null];
};

/** `unknown`: it was while there was no connection here. */
export type RoomLeaveReason = LeaveReason | 'unknown';

/** A player in a room. */
export type RoomPlayer = {
    id: string;
    displayName: string | null;
    state: Record<string, unknown>;
    connected: boolean;
};

/** A room the player sits in. `players` and `state` are always as the service last told. */
declare class Room {
    #private;
    /** The id, for `svc.rooms.join({ id })`. */
    readonly id: string;
    /** The short code that players can share. */
    readonly code: string;
    /** The mode, as in the config. */
    readonly mode: string;
    /** `server`, or `p2p` for peer-to-peer rooms. */
    readonly transport: Transport;
    /** The number of seats. */
    readonly maxPlayers: number;
    /** What the creator of the room stored with it. */
    readonly metadata: unknown;
    /** Whether the room is left out of the list of rooms. */
    readonly isPrivate: boolean;
    /** Whether only the host may change the shared state. */
    readonly hostOnlyState: boolean;
    /** When the room was created. */
    readonly createdAt: string;
    /** Longest present first; always the same array. */
    readonly players: RoomPlayer[];
    /** What all share; always the same object. */
    readonly state: State;
    /** Adds a listener; returns a function that removes it. */
    readonly on: On<RoomEvents>;
    /** When the room is over for this player, who has left it or was told `closed`. */
    readonly ended: Promise<void>;
    /** The own player. */
    get me(): RoomPlayer;
    /** The player who is the host. */
    get host(): RoomPlayer;
    /** Whether you are the host. */
    get isHost(): boolean;
    /** Whether the room accepts no more players. */
    get isLocked(): boolean;
    /** Seated and connected; false while reconnecting and once the room is over. */
    get isConnected(): boolean;
    /** To everybody else in the room, or to some of them. Up to 16 KB of JSON. */
    send(type: string, data?: unknown, { to }?: {
        to?: string[];
    }): void;
    /** Changes what all share: `{ key: value }` replaces, `{ key: null }` deletes. Shown here once the service has put it in order. */
    setState(patch: Patch): void;
    /** Changes what the others see of you; shown here at once. */
    setMyState(patch: Patch): void;
    /** The host only. */
    lock(locked?: boolean): Promise<void>;
    /** Leaves the room. */
    leave(): Promise<void>;
    /** Of peer-to-peer rooms; `svc.p2p` does it for you. */
    signal(to: string, kind: SignalKind, data: unknown, gen: number): void;
    /** The configuration for RTCPeerConnection, in peer-to-peer rooms. */
    iceServers(): Promise<IceServersAnswer>;
}

/** The options of a new room. */
export type NewRoom = {
    mode?: string;
    private?: boolean;
    maxPlayers?: number;
    metadata?: unknown;
    code?: string;
    hostOnlyState?: boolean;
};

/** `signal` cancels the search. */
export type QuickMatchOptions = {
    signal?: AbortSignal;
};

/** How a save is written. */
export type PutOptions = {
    /** Instead of the version that was last read or written here; null: over whatever is there. */
    ifVersion?: number | null;
};

/** A save with its data. */
export type Save<Data = unknown> = SaveSummary & {
    data: Data;
};

/** A save without its data. */
export type SaveSummary = {
    key: string;
    version: number;
    size: number;
    updatedAt: string;
};

/** The player as the service describes it. */
export type Player = {
    id: string;
    displayName: string;
    isGuest: boolean;
    createdAt: string;
    identities: {
        provider: string;
        linkedAt: string;
        email?: string;
    }[];
    emailVerified: boolean;
    email: string | null;
    avatarUrl: string | null;
};

/** The events of `svc`. */
export type SessionEvents = {
    /** Who plays, or what is known of them, has changed: here, or in another tab. */
    player: [player: Player];
    /** No player is signed in any more. */
    signed_out: [reason: SignedOutReason];
};

/** Why nobody is signed in any more. */
export type SignedOutReason = 'logout' | 'ban' | 'reuse' | 'password_reset' | 'unlink' | 'deleted' | 'expired' | (string & {});

/** What a new share link shows. */
export type NewShareLink = {
    /** `challenge` asks others to beat the score. */
    kind: 'plain' | 'score' | 'challenge';
    /** Required for `score` and `challenge`. */
    score?: number;
    /** Shows the player's name on the card; never that of a child. */
    showName?: boolean;
    /** Your page, if the service does not host it (default: this page). */
    url?: string;
};

/** The link that led to this page. */
export type ReceivedLink = {
    id: string;
    kind: "challenge" | "plain" | "score" | "tracked";
    score: number | null;
    displayName: string | null;
    createdAt: string;
};

/** `svc.share`. Visits through share links are reported by the client itself: the arrival, and the first key, click or touch. */
export type Share = {
    /**
     * Creates a link to post. Its score, name and card never change.
     *
     * @example
     * const link = await svc.share.create({ kind: 'challenge', score: 1200, showName: true })
     * shareButton.onclick = () => svc.share.open(link)
     */
    create(link: NewShareLink): Promise<ShareLink>;
    /**
     * Lets the player post a link: with the share sheet of the device, else on X in a new window, else by copying it. Call it in a
     * click, with a link that was created before: browsers allow neither sheet nor window later.
     */
    open(link: ShareLink | NewShareLink): Promise<Shared>;
    /** The link that led to this page, for example to show the score of a challenge; undefined if there is none. */
    restore(): Promise<ReceivedLink | undefined>;
    /** Creates a link with which the player continues in the browser of the device. Needs `share.inAppBrowser` in the config. */
    browserLink(): Promise<BrowserLink>;
    /**
     * In the browser of an app (X, Instagram, Facebook, LINE, TikTok): offers to continue in the browser of the device, as the same
     * player. Returns false, and shows nothing, elsewhere.
     */
    offerBrowser(options?: OfferOptions): Promise<boolean>;
};

/** A share link, ready to be posted. */
export type ShareLink = {
    id: string;
    /** What to post: networks show the card of the link for it. */
    url: string;
    /** The card, a PNG of 1200x600; null while `share.images` is off. */
    imageUrl: string | null;
    /** Opens X with a post that is ready to be sent. */
    intentUrl: string;
    /** The text of the post, as the config has it. */
    text: string;
    hashtags: string[];
    via: string | null;
};

/** What came of `svc.share.open`: the share sheet of the device, a page of X, the clipboard, or nothing, by choice of the player. */
export type Shared = 'shared' | 'opened' | 'copied' | 'cancelled';

/** The part of `svc.auth` about email and password. */
type Email = {
    /** A new player. A guest who is to keep everything wants `linkEmail`. */
    signUp: (body: SignUp) => Promise<Player>;
    /** Signs in with email and password; rejects with `invalid_credentials`. */
    logIn: (body: LogIn) => Promise<Player>;
    /** Gives this player an email and a password: a guest becomes an account and loses nothing. */
    linkEmail: (body: LinkEmail) => Promise<Player>;
    /** False: it is verified already. */
    resendVerification: (body?: MailOptions) => Promise<boolean>;
    /** With the token of `svc.auth.mailLink`. */
    verifyEmail(token: string): Promise<void>;
    /** Sends an email with a link to set a new password; does not reveal whether the account exists. */
    forgotPassword: (email: string, options?: MailOptions) => Promise<void>;
    /** With the token of `svc.auth.mailLink`; signs out everywhere. */
    resetPassword: (token: string, password: string) => Promise<void>;
};

/** The part of `svc.auth` about external sign-in. */
type Providers = {
    /** Signs in as the player who is linked to the account at the provider, or as a new player. */
    signIn: (provider: Provider, options?: ProviderOptions) => Promise<Player>;
    /**
     * Links the provider to the current player: a guest becomes an account and keeps everything. If the account at the provider
     * belongs to another player, it fails with `identity_already_linked`, unless `orSignIn` is set.
     *
     * @example
     * try {
     *   await svc.auth.link('google', { orSignIn: true })
     * } catch (error) {
     *   if (!error.signIn) throw error
     *   if (confirm(`Switch to ${error.details.displayName}?`)) await error.signIn()
     * }
     */
    link: (provider: Provider, options?: LinkOptions) => Promise<Player>;
    /** With an ID token of the platform's own sign-in. */
    native: (provider: Provider, body: NativeSignIn) => Promise<{
        player: Player;
        linked: boolean;
    }>;
    /** Removes a sign-in method; signs out all other devices. */
    unlink: (provider: Provider | 'email') => Promise<Player>;
    /** Lists the sign-in methods of the player. */
    identities: () => Promise<Player['identities']>;
};

/** The part of `svc.auth` about the player: name, data, age, bans. */
type Account = {
    /** Changes the display name. */
    rename: (displayName: string) => Promise<Player>;
    /** Everything that is stored about this player. */
    exportData: () => Promise<Record<string, unknown>>;
    /** Irreversible. Who has a password gives it; of everybody else this device is proof enough. */
    deleteAccount: ({ password }?: {
        password?: string;
    }) => Promise<void>;
    /** The age group of the player and what it allows. */
    age: () => Promise<AgeProfile>;
    /** Declares the age group; afterwards it can only become stricter. */
    declareAge: (band: AgeBand) => Promise<AgeProfile>;
    /** Reports an age signal from the operating system. */
    reportAgeSignal: (body: AgeSignal) => Promise<AgeProfile>;
    /** The bans of this player, newest first. */
    sanctions: () => Promise<{
        id: string;
        kind: "ban";
        active: boolean;
        note: string | null;
        createdAt: string;
        expiresAt: string | null;
        endedAt: string | null;
        appeal?: {
            id: string;
            status: "accepted" | "open" | "rejected";
            message: string;
            response: string | null;
            createdAt: string;
            resolvedAt: string | null;
        };
    }[]>;
    /** Also after the ban has ended the session: then the refresh token that it revoked says who appeals. */
    appeal: (message: string, sanctionId?: string) => Promise<AppealView>;
};

type Sessions = {
    /** False while no player is signed in. */
    readonly signedIn: boolean;
    /** What came of a sign-in by redirect, or of a link from the browser of an app, that led to this page: the player, or the error. */
    returned: Player | SvcError | undefined;
    /** The token of the mail link that led to this page, for `verifyEmail` or `resetPassword`. */
    mailLink: {
        type: string;
        token: string;
    } | undefined;
    /** For your own server, which asks the service whose it is; good for a few minutes, so ask for it each time. */
    accessToken(): Promise<string>;
    /** A new player without credentials; whoever played before is only found again by signing in. */
    guest(options?: {
        displayName?: string;
    }): Promise<Player>;
    /** In all tabs. A guest who signs out cannot come back. */
    signOut(): Promise<void>;
    /** For another browser, which has ten minutes to redeem it. */
    createTransferCode(): Promise<TransferCode>;
    /** Continues as the player who created the code. */
    redeemTransferCode(code: string): Promise<Player>;
    /** The box for sign-up screens, drawn by the service; show it as it is, or nothing when `show` is false. */
    newsBox(language?: string): Promise<NewsBox>;
};

/** Adds a listener; returns a function that removes it. */
type On<Events> = <Name extends keyof Events>(name: Name, listener: (...args: Extract<Events[Name], unknown[]>) => void) => () => void;

/** The rules of a channel. */
type ChannelSettings = ChannelJoined['settings'];

type ChannelSelf = {
    canSend: boolean;
    muted: boolean;
    mutedUntil: number | null;
};

/** `svc.saves`. */
type Saves = {
    /** Null if the save does not exist. */
    get: <Data = unknown>(key: string) => Promise<Save<Data> | null>;
    /** Over the version known here; when that is no longer the newest: `version_conflict`, with the newest in `.current`. */
    put: (key: string, data: unknown, { ifVersion }?: PutOptions) => Promise<SaveSummary>;
    list: () => Promise<SaveSummary[]>;
    /** False: there was nothing to delete. */
    delete: (key: string, query?: {
        ifVersion?: number;
    }) => Promise<boolean>;
};

/** `svc.stats`. */
type Stats = {
    /** What was refused is in `rejected`, each with its reason; the rest is counted. */
    submit: (stats: Record<string, number>) => Promise<Submitted>;
    /** All-time values. */
    read: () => Promise<Record<string, number>>;
    /** The stats that the config defines. */
    definitions: () => Promise<Definitions['stats']>;
};

/** `svc.config`. */
type Config = {
    /** Reads the public part of the config. */
    read: () => Promise<Definitions>;
};

/** `svc.rooms`. */
type Rooms = {
    /** The room that the player is in. */
    readonly current: Room | undefined;
    /** Creates a room and joins it as host. */
    create: (fields?: NewRoom) => Promise<Room>;
    /** By its code, or by its id from `list`. */
    join: ({ code, id }: {
        code: string;
        id?: never;
    } | {
        id: string;
        code?: never;
    }) => Promise<Room>;
    /** After a reload: back to the seat that is still kept, if there is one. */
    resume: () => Promise<Room | null>;
    /** Resolves when there are enough players, or the time to wait for more is over. */
    quickMatch: (mode?: string, { signal }?: QuickMatchOptions) => Promise<Room>;
    /** Lists open public rooms. */
    list: ({ mode }?: {
        mode?: string;
    }) => Promise<RoomSummary[]>;
};

/** `svc.channels`. */
type Channels = {
    /** A name without @ is made by the first who joins it. */
    join: (name: string) => Promise<Channel>;
    /** A channel of your own, with a leading @; its name is made up when left out. */
    create: (fields?: NewChannel) => Promise<Channel>;
    /** The channels that this client has joined. */
    readonly joined: Channel[];
};

/** What `svc.p2p.open` takes. */
type MeshOptions = {
    now?: () => number;
};

type Refusal = {
    message?: string;
    status?: number;
    details?: Record<string, unknown> | undefined;
    cause?: unknown;
};

type ErrorCode = "age_change_not_allowed" | "age_restricted" | "already_in_room" | "already_queued" | "already_redeemed" | "appeal_already_resolved" | "appeal_exists" | "appeal_not_found" | "ban_not_active" | "blob_too_large" | "blobs_missing" | "channel_banned" | "channel_exists" | "channel_forbidden" | "channel_full" | "channel_not_found" | "checkout_not_found" | "client-not-enrolled" | "code_taken" | "config_version_not_found" | "deployment_not_found" | "developer_session_required" | "email_not_confirmed" | "email_taken" | "environment_not_found" | "feature_disabled" | "feature_unavailable" | "hash_mismatch" | "headers_too_large" | "host_only" | "idempotency_key_in_use" | "idempotency_key_reused" | "identity_already_linked" | "identity_not_found" | "idle" | "internal_error" | "invalid_amount" | "invalid_channel_name" | "invalid_code" | "invalid_config" | "invalid_credentials" | "invalid_frame" | "invalid_id_token" | "invalid_idempotency_key" | "invalid_invite_code" | "invalid_json" | "invalid_key" | "invalid_or_expired_token" | "invalid_path" | "invalid_refresh_token" | "invalid_request" | "invalid_signature" | "invalid_token" | "invite_code_used" | "invite_limit_reached" | "key_not_found" | "key_required" | "last_login_method" | "method_not_allowed" | "mode_not_found" | "muted" | "name_reserved" | "no_email" | "not_finalized" | "not_found" | "not_in_channel" | "not_in_room" | "not_p2p_room" | "origin_not_allowed" | "owner_only" | "p2p_room_full" | "payload_too_large" | "player_banned" | "player_not_found" | "player_not_in_room" | "player_required" | "prepaid_required" | "project_not_found" | "provider_disabled" | "provider_not_configured" | "publishable_key_required" | "range_too_long" | "rate_limited" | "reauth_required" | "redirect_url_not_allowed" | "refresh_race" | "replaced" | "request_timeout" | "room_full" | "room_locked" | "room_not_found" | "sanction_not_found" | "save_not_found" | "save_too_large" | "secret_key_required" | "send_forbidden" | "server_restarting" | "service_unavailable" | "session_revoked" | "share_images_disabled" | "share_inAppBrowser_disabled" | "share_link_not_found" | "share_links_disabled" | "share_tags_disabled" | "share_tracking_disabled" | "sign_up_closed" | "size_mismatch" | "slow_consumer" | "state_too_large" | "token_expired" | "too_many_channels" | "too_many_keys" | "too_many_links" | "too_many_projects" | "too_many_saves" | "too_many_stats" | "turn_unavailable" | "unauthorized" | "unknown_type" | "unsupported_content_encoding" | "unsupported_media_type" | "upgrade_required" | "version_conflict" | "voice_in_use" | "voice_too_large" | "webhook_not_configured" | "x_profile_not_found" | "x_signin_unavailable";

type PlayerSignInError = "access_denied" | "identity_already_linked" | "player_banned" | "provider_error" | "state_expired" | "x_signin_unavailable";

/** What can go wrong before the service has a say. */
type ClientErrorCode = 'network_error' | 'unexpected_answer' | 'aborted' | 'signed_out' | 'secret_key_refused' | 'invalid_options' | 'insecure_context' | 'popup_blocked' | 'popup_closed' | 'popup_unreachable' | 'not_available' | 'queue_full' | 'invalid_signature';

/** How a message is sent. */
type SendOptions = {
    /** Ids of the receivers (default: all connected players). */
    to?: string[];
    /** As soon as possible, or never: for positions, of which the next is already on its way. */
    fast?: boolean;
};

/** The part of `fetch` that the SDK uses. */
type Fetch = (url: string, request?: RequestInit) => Promise<Response>;

/** The constructor of a WebSocket. */
type WebSocketConstructor = new (url: string) => WebSocketLike;

type CloseReason = "closed" | "empty" | "feature_disabled" | "shutdown";

type SignalKind = "answer" | "candidate" | "offer" | "restart";

type LeaveReason = "banned" | "left" | "replaced" | "timeout";

type Transport = "p2p" | "server";

type IceServersAnswer = {
    iceServers: {
        urls: string[];
        username?: string;
        credential?: string;
    }[];
    iceTransportPolicy: "all" | "relay";
    expiresAt: number;
};

/** A link with which the player continues in the browser of the device, for ten minutes and once. */
type BrowserLink = {
    /** To be copied. */
    url: string;
    /** To be followed: leads out of the app where the app lets it. */
    leavingUrl: string;
    /** The app whose browser shows this page. */
    inAppBrowser: InAppBrowser | undefined;
};

/** What `svc.share.offerBrowser` takes. */
type OfferOptions = {
    /** Like `pt-BR`; the browser's own when left out. */
    language?: string;
};

/** Email, password and options of a new player. */
type SignUp = {
    email: string;
    password: string;
    displayName?: string;
    newsOptIn?: boolean;
    redirectUrl?: string;
    language?: string;
};

/** Email and password. */
type LogIn = {
    email: string;
    password: string;
};

/** Email and password for the current player. */
type LinkEmail = {
    email: string;
    password: string;
    newsOptIn?: boolean;
    redirectUrl?: string;
    language?: string;
};

/** The language and the redirect URL of an email. */
type MailOptions = {
    redirectUrl?: string;
    language?: string;
};

/** An ID token of a native sign-in, and what it was requested with. */
type NativeSignIn = {
    /** The ID token from the native sign-in of the platform. */
    idToken: string;
    /** The nonce that the sign-in was started with. */
    nonce: string;
    /** Where the sign-in took place. */
    platform: 'ios' | 'android' | 'web';
    /** True: link the identity to the current player, or fail. */
    link?: boolean;
    /** The name that Apple returns only once. */
    name?: string;
};

/** The age group of the player and what it allows. */
type AgeProfile = {
    ageBand: "adult" | "child" | "teen";
    declaredAgeBand: "adult" | "child" | "teen" | null;
    capabilities: {
        directPeer: boolean;
        voice: boolean;
        publicXProfile: boolean;
        newsOptIn: boolean;
    };
};

type AgeBand = "adult" | "child" | "teen";

/** An age signal from the operating system. */
type AgeSignal = {
    platform: "android" | "ios";
    status: string;
    lowerBound?: number;
    upperBound?: number;
    source?: string;
    supervised?: boolean;
};

type AppealView = {
    id: string;
    status: "accepted" | "open" | "rejected";
    message: string;
    response: string | null;
    createdAt: string;
    resolvedAt: string | null;
};

/** A code with which another browser continues as the same player. */
type TransferCode = {
    code: string;
    expiresIn: number;
};

/** The news opt-in box for sign-up screens. */
type NewsBox = {
    show: boolean;
    label: string;
    html: string;
};

type ChannelJoined = {
    channel: string;
    settings: {
        join: "everyone" | "invited";
        send: "everyone" | "server" | "speakers";
        open: boolean;
        maxMembers: number;
    };
    owner: string | null;
    members: {
        id: string;
        displayName: string | null;
    }[];
    voice: {
        mode: "p2p" | "sfu";
        relayOnly: boolean;
    } | null;
    self: {
        canSend: boolean;
        muted: boolean;
        mutedUntil: number | null;
    };
};

type Submitted = {
    stats: Record<string, {
        allTime: number;
        daily: number;
        weekly: number;
        monthly: number;
    }>;
    rejected: {
        key: string;
        value: unknown;
        reason: "above_max" | "above_max_per_submit" | "below_min" | "invalid_value" | "unknown_stat" | "verification_rejected" | "verification_unavailable";
    }[];
    unlocked: unknown[];
};

type RoomSummary = {
    id: string;
    code: string;
    mode: string;
    maxPlayers: number;
    metadata: unknown;
    createdAt: string;
    players: number;
};

/** What the SDK uses of one; the types of a browser's and those of packages agree on no more than that. */
type WebSocketLike = {
    onopen: unknown;
    onclose: unknown;
    onerror: unknown;
    onmessage: unknown;
    send(text: string): void;
    close(): void;
};

/** An app whose own browser shows the page. */
type InAppBrowser = 'x' | 'instagram' | 'facebook' | 'line' | 'tiktok';

export type { Channel, Room };

export {};
