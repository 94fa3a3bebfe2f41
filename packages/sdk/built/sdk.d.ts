/* Written by `npm run generate`; do not edit. */

/** `svc.auth`: sign-in, sign-out and the account of the player. */
export type Auth = Providers & Account & Sessions;

/** Joins and leaves that happened while disconnected are emitted before `reconnected`. */
export type ChannelEvents = {
    /** `from` is the id of a player, or `server`. You also receive your own messages. */
    message: [type: string, data: unknown, from: string, at: number];
    /** Another member joined. */
    member_joined: [member: ChannelMember];
    /** A member left. */
    member_left: [member: ChannelMember];
    /** A member, perhaps you, has a new `displayName`. */
    member_renamed: [member: ChannelMember];
    /** Your right to send has changed. */
    self: [self: ChannelSelf];
    /** The connection was lost; messages are queued until it is back. */
    reconnecting: [];
    /** The connection is back, and `members` is up to date. */
    reconnected: [];
    /**
     * You are no longer in the channel: `kicked`, `banned`, `deleted` …, or the code of the error that prevented the rejoin. With
     * `player_banned` the error has `details`: `sanctionId`, `note`, and `expiresAt` in milliseconds or null.
     */
    closed: [reason: string, error?: SvcError];
    /** The service rejected something that you sent. */
    warn: [error: SvcError];
};

/** A member of a channel; `displayName` is null for anonymous members. */
export type ChannelMember = {
    id: string;
    displayName: string | null;
};

/** A channel that the player is in. */
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
    /** The id of the player who created the channel; null if a server did, or if nobody owns it. */
    get owner(): string | null;
    /** What you may do in the channel now. */
    get self(): ChannelSelf;
    /** The voice calls of the channel. */
    get voice(): VoiceCalls;
    /** Sends a message to all members. Up to 16 KB of JSON, 20 per second. */
    send(type: string, data?: unknown): void;
    /** Mutes, kicks or bans a player, and so on; owner only. */
    moderate(moderation: Moderation): Promise<void>;
    /** Leaves the channel. */
    leave(): Promise<void>;
}

/** A moderation operation on one player. */
export type Moderation = {
    op: "allowSend" | "ban" | "disallowSend" | "invite" | "kick" | "mute" | "unban" | "uninvite" | "unmute";
    playerId: string;
    seconds?: number;
};

/** `channel.voice`: the mode of the call, and `join`. `mode` is null if the channel has no voice calls. */
export type VoiceCalls = (ChannelVoice | {
    mode: null;
}) & {
    /**
     * Joins the call; rejects with `voice_disabled` if the channel has none. Call it in a click handler: the browser asks for the microphone first, and may play sound afterwards. Without
     * `microphone` you only listen.
     */
    join(options?: CallOptions): Promise<Call>;
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
        source: string;
        leaderboard: {
            periods: string[];
            order: string;
            verifiedOnly: boolean;
        } | null;
    }[];
    modes: {
        key: string;
        title: string | Record<string, string> | null;
        minPlayers: number;
        maxPlayers: number;
        fillTimeoutSeconds: number;
        gatherSeconds: number;
        backfillSeconds: number | null;
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

/** The options of `connect`; a page that the service hosts needs none. */
export type ConnectOptions = {
    /** URL of the service, such as `https://api.example.com`; a hosted page needs neither this nor `key`. */
    url?: string;
    /** The publishable key (pk_…) of the environment. */
    key?: string;
    /** The URL of the WebSocket (default: derived from `url`). */
    realtimeUrl?: string;
    /** URL of the server functions (default: `/.fn` of a page that the service hosts). */
    functionsUrl?: string;
    /** Where the session is stored (default: `localStorage` in a page, memory elsewhere). */
    storage?: KeyValueStorage;
    /** Name of the session in the storage. By default it contains the key: set it to keep sessions after a change of the key. */
    storageKey?: string;
    /** False: a visitor who has not signed in stays anonymous, and may listen to open channels. See `svc.auth.signedIn`. */
    guest?: boolean;
    /** Display name of a new guest. */
    displayName?: string;
    /** Replaces parts of the platform; in Node 20 pass a `WebSocket` for rooms and channels. */
    platform?: Partial<Platform>;
};

/** A connected client, see `connect`. */
export type Svc = {
    /** The current player, or the last one after the session has ended. Throws `signed_out` if there never was a player. */
    readonly player: Player;
    /** Adds a listener; returns a function that removes it. */
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
    /** Calls the server functions of the environment. */
    functions: Functions;
    /** Direct connections between the players of a room; the code is loaded when it is first used. */
    p2p: {
        /** Connects the players of a peer-to-peer room with each other; their messages do not pass through the service. */
        open(room: Room, options?: MeshOptions): Promise<Mesh>;
    };
    /** Share links; loaded when it is first used. */
    share: Share;
    /** Ranks of players by a stat; loaded when it is first used. */
    leaderboards: Leaderboards;
    /** Closes the connection; the session is kept for the next visit. */
    close(): void;
};

/** Whether the error is an `SvcError`, with one of the codes if any are given. */
export declare const isSvcError: (error: unknown, ...codes: SvcErrorCode[]) => error is SvcError;

/** The only error class of the SDK. Check `code`; `hint` is for the developer who reads the console. */
export declare class SvcError extends Error {
    readonly name = "SvcError";
    /** The error code; use it in your program. */
    readonly code: SvcErrorCode;
    /** HTTP status; 0 if there was no HTTP response. */
    readonly status: number;
    /** More about the error, by its code. */
    readonly details: Record<string, unknown>;
    /** With `version_conflict`: the current save, or null if it was deleted. */
    current?: (SaveSummary & {
        data: unknown;
    }) | null;
    /**
     * With `identity_already_linked` after `link(…, { orSignIn: true })`: the current guest has saves or stats. Ask the player, then
     * call this to sign in as the player who owns the identity, whose name is in `details.displayName`. Works for 10 minutes.
     */
    signIn?: () => Promise<PlayerView>;
    /** With `@svc/sdk/developer`: the id under which the service logged the request. */
    requestId?: string;
    /** For errors of your own code that should look like those of the SDK. */
    constructor(code: SvcErrorCode, { message, status, details, cause }?: Refusal);
    /** What a developer can do about it. It is also part of the message; consoles print it once, because it is not a property. */
    get hint(): string | undefined;
}

/** The codes of `SvcError`: those of the service and those of the SDK. */
export type SvcErrorCode = ErrorCode | PlayerSignInError | ClientErrorCode;

/** A day, week or month that has ended. */
export type ClosedPeriod = {
    period: "allTime" | "daily" | "monthly" | "weekly";
    label: string;
    startsAt: string;
    endsAt: string;
    count: number;
};

/** A page of a leaderboard, best first. */
export type Leaderboard = {
    key: string;
    period: "allTime" | "daily" | "monthly" | "weekly";
    label: string | null;
    order: "asc" | "desc";
    startsAt: string | null;
    endsAt: string | null;
    count: number;
    entries: {
        rank: number;
        playerId: string | null;
        displayName: string | null;
        value: number;
        reachedAt: string;
    }[];
    nextCursor: string | null;
};

/** One player of a leaderboard; id and name of a child are null. */
export type LeaderboardEntry = {
    rank: number;
    playerId: string | null;
    displayName: string | null;
    value: number;
    reachedAt: string;
};

/** A period of a leaderboard. */
export type LeaderboardPeriod = "allTime" | "daily" | "monthly" | "weekly";

/** `svc.leaderboards`. The first argument of every function is the key of a stat that has a `leaderboard` in the config. */
export type Leaderboards = {
    /**
     * Reads the best players. `period` is the first one of the config by default; `at` names a closed period.
     *
     * @example
     * const { entries } = await svc.leaderboards.top('points', { period: 'daily', limit: 10 })
     * for (const { rank, displayName, value } of entries) console.log(rank, displayName ?? 'A player', value)
     */
    top(key: string, options?: {
        period?: LeaderboardPeriod;
        at?: string;
        limit?: number;
        cursor?: string;
    }): Promise<Leaderboard>;
    /** Reads the place of the player and the `around` (0 to 25, default 5) places above and below; `entry` is null without one. */
    around(key: string, options?: {
        period?: LeaderboardPeriod;
        around?: number;
    }): Promise<{
        entry: OwnEntry | null;
        count: number;
        around: LeaderboardEntry[];
    }>;
    /** Compares up to 100 players, such as friends or the players of a room. Children are left out. */
    ranks(key: string, playerIds: string[], options?: {
        period?: LeaderboardPeriod;
    }): Promise<RankEntry[]>;
    /** Lists closed periods, newest first; read their winners with `top(key, { at: label })`. */
    periods(key: string): Promise<ClosedPeriod[]>;
    /** Whether the player is shown on leaderboards. */
    isVisible(): Promise<boolean>;
    /** False: leaves all leaderboards immediately. True: the player appears again with the next report. */
    setVisible(visible: boolean): Promise<boolean>;
};

/** The place of the player: `exact` is true up to place 5,000. */
export type OwnEntry = {
    rank: number;
    exact: boolean;
    value: number;
    reachedAt: string;
};

/** One of the players of `ranks`. `rank` counts these players only; `place` is the same number. */
export type RankEntry = ChosenEntry & {
    rank: number;
};

/** Direct connections to the players of a room. */
export type Mesh = {
    /** Adds a listener; returns a function that removes it. */
    on: On<MeshEvents>;
    /** The players with an open direct connection. */
    readonly players: RoomPlayer[];
    /** Sends a message to all connected players, or to some of them. */
    send(type: string, data?: unknown, { to, fast }?: SendOptions): void;
    /** Closes all direct connections; the player stays in the room. */
    close: () => void;
};

/** The events of a mesh. */
export type MeshEvents = {
    /** A message from another player. */
    message: [type: string, data: unknown, from: RoomPlayer];
    /** The direct connection to this player is open. */
    peer_open: [player: RoomPlayer];
    /** The direct connection to this player was closed. */
    peer_closed: [player: RoomPlayer];
};

/** Changes to a state: a key with a value replaces it, null deletes it. */
export type Patch = Record<string, unknown>;

/** State of a room or of a player: top-level keys are replaced, null deletes one. */
export type State = Record<string, unknown>;

/** The part of `localStorage` that the session uses. */
export type KeyValueStorage = {
    /** Returns the stored text, or null. */
    getItem(key: string): string | null;
    /** Stores a text. */
    setItem(key: string, value: string): void;
    /** Removes a stored text. */
    removeItem(key: string): void;
};

/** The functions of the platform that the SDK uses. */
export type Platform = {
    /** Sends HTTP requests. */
    fetch: Fetch;
    /** Node 20 has no WebSocket: pass one to `connect`, for example that of the package `ws`. */
    WebSocket: WebSocketConstructor | undefined;
    /** The time in milliseconds since 1970. */
    now(): number;
    /** A random number from 0 up to, but not including, 1. */
    random(): number;
};

/** How an account at a provider is linked. */
export type LinkOptions = ProviderOptions & {
    /**
     * If the account at the provider already belongs to another player, sign in as that player. For a guest who has saves or stats
     * it fails with `identity_already_linked` first: ask the player, then call `error.signIn()`.
     */
    orSignIn?: boolean;
};

/** An external provider. */
export type Provider = "apple" | "discord" | "google" | "x";

/** How the pages of the provider are shown. */
export type ProviderOptions = {
    /** `redirect` leaves the page; after the return the result is in `svc.auth.returned`. */
    mode?: 'popup' | 'redirect';
    /** The page to return to after the sign-in (default: this page). */
    redirectUrl?: string;
};

/** `replaced`: the player connected in another tab or on another device. `lost`: the player did not reconnect in time. */
export type RoomClosedReason = CloseReason | 'replaced' | 'lost' | 'signed_out' | (string & {});

/** Changes that happened while disconnected are emitted before `reconnected`: joins, leaves and changes of state. */
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
    /** Another player changed its own state. */
    player_state: [player: RoomPlayer, state: State, patch: Patch];
    /**
     * The shared state changed, by any player including you; all players receive the changes in the same order. `from.id` is empty
     * for changes made while this client was disconnected.
     */
    state: [state: State, patch: Patch, from: RoomPlayer];
    /** A message from another player. */
    message: [type: string, data: unknown, from: RoomPlayer];
    /** Another player is the host. */
    host_changed: [host: RoomPlayer];
    /** The host locked or unlocked the room. */
    locked: [locked: boolean];
    /** The connection was lost; the seat is kept for a while. Messages are queued until the connection is back. */
    reconnecting: [];
    /** The connection is back, and the room object is up to date. */
    reconnected: [];
    /** The room has ended for you. With `player_banned` the error has `details`: `sanctionId`, `note`, `expiresAt` (ms or null). */
    closed: [reason: RoomClosedReason, error?: SvcError];
    /** The service rejected something that you sent. */
    warn: [error: SvcError];
    /** A WebRTC signal in a peer-to-peer room; `svc.p2p` listens to it. */
    signal: [from: string, kind: SignalKind, data: unknown, gen: number | null];
};

/** `unknown`: the player left while this client was disconnected. */
export type RoomLeaveReason = LeaveReason | 'unknown';

/** A player in a room. */
export type RoomPlayer = {
    id: string;
    displayName: string | null;
    state: Record<string, unknown>;
    connected: boolean;
};

/** A room that the player is in. `players` and `state` are updated with every event of the service. */
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
    /** How quick match fills the room: while there are fewer than `match.minPlayers`, more are expected. Undefined in other rooms. */
    readonly match: RoomMatch | undefined;
    /** Longest present first; always the same array. */
    readonly players: RoomPlayer[];
    /** The shared state; always the same object. */
    readonly state: State;
    /** Adds a listener; returns a function that removes it. */
    readonly on: On<RoomEvents>;
    /** Resolves when the room has ended for this player: after `leave` or the `closed` event. */
    readonly ended: Promise<void>;
    /** The own player. */
    get me(): RoomPlayer;
    /** The player who is the host. */
    get host(): RoomPlayer;
    /** Whether you are the host. */
    get isHost(): boolean;
    /** Whether the room accepts no more players. */
    get isLocked(): boolean;
    /** True while the player has a seat and a connection; false while reconnecting and after the room has ended. */
    get isConnected(): boolean;
    /** Sends a message to all other players, or to some of them. Up to 16 KB of JSON. */
    send(type: string, data?: unknown, { to }?: {
        to?: string[];
    }): void;
    /** Changes the shared state: `{ key: value }` replaces, `{ key: null }` deletes. `state` changes when the service confirms it. */
    setState(patch: Patch): void;
    /** Changes your own state, which the others can see; `me.state` changes immediately. */
    setMyState(patch: Patch): void;
    /** Locks or unlocks the room; host only. */
    lock(locked?: boolean): Promise<void>;
    /** Leaves the room. */
    leave(): Promise<void>;
    /** Sends a WebRTC signal in a peer-to-peer room; `svc.p2p` does it for you. */
    signal(to: string, kind: SignalKind, data: unknown, gen: number): void;
    /** The configuration for RTCPeerConnection, in peer-to-peer rooms. */
    iceServers(): Promise<IceServersAnswer>;
}

/** How far the search for a match is. */
export type MatchProgress = Omit<{
    waiting: number;
    minPlayers: number;
    maxPlayers: number;
    startsAt: string | null;
    t: "match_progress";
}, 't'>;

/** The options of a new room. */
export type NewRoom = {
    mode?: string;
    private?: boolean;
    maxPlayers?: number;
    metadata?: unknown;
    code?: string;
    hostOnlyState?: boolean;
};

/**
 * `signal` cancels the search. Only players with the same `pool` meet. Players with the same `party` get one room, once `partySize`
 * of them wait.
 */
export type QuickMatchOptions = Pick<{
    mode?: string;
    pool?: string;
    party?: string;
    partySize?: number;
    progress?: boolean;
}, 'pool' | 'party' | 'partySize'> & {
    signal?: AbortSignal;
    /** Called on change, at most once a second, while the player waits. */
    onProgress?: (progress: MatchProgress) => void;
};

/** How a save is written. */
export type PutOptions = {
    /** The version to overwrite (default: the one last read or written here); null overwrites any version. */
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

/** The player as the service describes it. `ban` is set once the SDK has learned that the player is banned. */
export type Player = PlayerView & {
    ban?: Ban;
};

/** The events of `svc`. */
export type SessionEvents = {
    /** The player or its data has changed, here or in another tab. */
    player: [player: Player];
    /** No player is signed in any more. */
    signed_out: [reason: SignedOutReason];
    /** The player is banned. Listeners that are added directly after `connect` also hear of a ban that `connect` found. */
    banned: [ban: Ban];
};

/** The ban of the player: show it, and let the player appeal with `svc.auth.appeal`. */
export type Ban = {
    /** For `svc.auth.appeal`. */
    sanctionId: string;
    /** What the moderator wrote; null without a reason. */
    reason: string | null;
    /** When the ban ends; null if it has no end. */
    until: Date | null;
};

/** Why no player is signed in any more. */
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

/** The share link through which this page was opened. */
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
    /** The URL to post: social networks show the card of the link. */
    url: string;
    /** The card, a PNG of 1200x600; null while `share.images` is off. */
    imageUrl: string | null;
    /** The URL that opens X with a prepared post. */
    intentUrl: string;
    /** The text of the post, as the config has it. */
    text: string;
    hashtags: string[];
    via: string | null;
};

/** The result of `svc.share.open`: the share sheet of the device, a page of X, the clipboard, or cancelled by the player. */
export type Shared = 'shared' | 'opened' | 'copied' | 'cancelled';

/** A microphone or a speaker. The label is empty until the player has allowed the microphone. */
export type AudioDevice = {
    readonly deviceId: string;
    readonly label: string;
};

/** A call the player is in. */
declare class Call {
    #private;
    /** Adds a listener; returns a function that removes it. */
    readonly on: On<CallEvents>;
    /** Everybody in the call, you too. */
    get members(): CallMember[];
    /** Whether you have muted yourself. */
    get isMuted(): boolean;
    /** Sends nothing until `unmute`. */
    mute(): void;
    /** Sends again. */
    unmute(): void;
    /** How loud you hear a member, from 0 to 1. */
    setVolume(playerId: string, volume: number): void;
    /** The microphones and speakers of this device. */
    devices(): Promise<{
        microphones: AudioDevice[];
        speakers: AudioDevice[];
    }>;
    /** Changes the microphone; also for a player who only listened. */
    setMicrophone(deviceId?: string): Promise<void>;
    /** Changes the speaker, in browsers that can. */
    setSpeaker(deviceId: string): void;
    /** Plays what the browser has blocked; call it in a click handler. */
    resumePlayback(): void;
    /** Leaves the call. */
    leave(): Promise<void>;
}

/** The events of a call. */
export type CallEvents = {
    /** Somebody came or left, or may speak or no longer. */
    members: [members: CallMember[]];
    speaking: [playerId: string, isSpeaking: boolean];
    /** How loud a member is, you too, from 0 to 1; five times a second. */
    level: [playerId: string, level: number];
    /** By yourself, or by the rules of the channel. */
    muted: [isMuted: boolean, by: 'self' | 'channel'];
    /** The browser plays no sound before the player clicks: show a button that calls `resumePlayback`. */
    playback_blocked: [];
    /** A device was plugged in or out. */
    devices: [];
    reconnecting: [];
    reconnected: [];
    /** `left`, `time_limit`, `suspended`, or the code of the reason. */
    closed: [reason: string];
    warn: [error: SvcError];
};

/** A member of the call. */
export type CallMember = {
    id: string;
    displayName: string | null;
    canSpeak: boolean;
    isSpeaking: boolean;
    volume: number;
};

/** What `channel.voice.join` takes. */
export type CallOptions = {
    /** False: only listen; the browser does not ask for the microphone. */
    microphone?: boolean;
    /** A microphone from `call.devices()`. */
    deviceId?: string;
    processing?: Processing;
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
};

/** The part of `svc.auth` that is loaded on its first use: email and password, name, data, age, bans. */
type Account = Email & OwnData;

type Sessions = {
    /** False while no player is signed in. */
    readonly signedIn: boolean;
    /** Result of a sign-in by redirect, or of a link from an in-app browser, that opened this page: the player, or the error. */
    returned: Player | SvcError | undefined;
    /** The token of the mailed link that opened this page, for `verifyEmail` or `resetPassword`. */
    mailLink: {
        type: string;
        token: string;
    } | undefined;
    /** An access token for your own server, which verifies it at the service. It expires in minutes: call this each time. */
    accessToken(): Promise<string>;
    /** Signs in as a new guest. The previous player can only be reached again by signing in. */
    guest(options?: {
        displayName?: string;
    }): Promise<Player>;
    /** Signs out in all tabs. A guest who signs out cannot sign in again. */
    signOut(): Promise<void>;
    /** Continues as the player who created the code. */
    redeemTransferCode(code: string): Promise<Player>;
};

type ChannelSelf = {
    canSend: boolean;
    muted: boolean;
    mutedUntil: number | null;
};

/** Adds a listener; returns a function that removes it. */
type On<Events> = <Name extends keyof Events>(name: Name, listener: (...args: Extract<Events[Name], unknown[]>) => void) => () => void;

/** The rules of a channel. */
type ChannelSettings = ChannelJoined['settings'];

type ChannelVoice = {
    mode: "p2p" | "sfu";
    relayOnly: boolean;
};

/** `svc.saves`. */
type Saves = {
    /** Reads a save; null if it does not exist. */
    get: <Data = unknown>(key: string) => Promise<Save<Data> | null>;
    /** Writes a save. Rejects with `version_conflict` if the known version is not the newest; `error.current` is the newest. */
    put: (key: string, data: unknown, { ifVersion }?: PutOptions) => Promise<SaveSummary>;
    /** Lists the saves of the player, without their data. */
    list: () => Promise<SaveSummary[]>;
    /** Deletes a save; resolves with false if it did not exist. */
    delete: (key: string, query?: {
        ifVersion?: number;
    }) => Promise<boolean>;
};

/** `svc.stats`. */
type Stats = {
    /**
     * Reports values. Rejected ones are in `rejected` with their reason; the others are counted. Keys that the config does not
     * define and values that are not numbers are mistakes in the code, so the console names each of them once.
     */
    submit: (stats: Record<string, number>) => Promise<Submitted>;
    /** Reads the all-time values. */
    read: () => Promise<Record<string, number>>;
    /** Reads the stats that the config defines. */
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
    /** Joins a room by its code, or by its id from `list`. */
    join: ({ code, id }: {
        code: string;
        id?: never;
    } | {
        id: string;
        code?: never;
    }) => Promise<Room>;
    /** After a reload: returns to the seat that the service still keeps; null if there is none. */
    resume: () => Promise<Room | null>;
    /** Searches for a match. Resolves when a started match has a seat, when there are enough players, or after the fill timeout. */
    quickMatch: (mode?: string, options?: QuickMatchOptions) => Promise<Room>;
    /** Lists open public rooms. */
    list: ({ mode }?: {
        mode?: string;
    }) => Promise<RoomSummary[]>;
};

/** `svc.channels`. */
type Channels = {
    /** Joins a channel; the first join creates a channel without @. */
    join: (name: string) => Promise<Channel>;
    /** Creates a channel that you own. Its name starts with @; without a name it gets a generated one. */
    create: (fields?: NewChannel) => Promise<Channel>;
    /**
     * Joins the channel of this name, or creates it with these options if it does not exist. The options of a channel that exists
     * stay as they are.
     *
     * @example
     * const team = await svc.channels.joinOrCreate({ channel: '@team', voice: true, maxMembers: 8 })
     */
    joinOrCreate: (fields: NewChannel & {
        channel: string;
    }) => Promise<Channel>;
    /** The channels that this client has joined. */
    readonly joined: Channel[];
};

/** `svc.functions`. */
type Functions = {
    /**
     * Calls the server functions of the environment as the player: like `fetch`, with the player's access token. Any status is a
     * response; throws like `fetch` if there is none.
     *
     *     const response = await svc.functions.fetch('/daily', { method: 'POST', body: JSON.stringify({ score }) })
     */
    fetch(path: string, init?: RequestInit): Promise<Response>;
};

/** What `svc.p2p.open` takes. */
type MeshOptions = {
    /** The time in milliseconds; for tests. */
    now?: () => number;
};

type PlayerView = {
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

type Refusal = {
    message?: string;
    status?: number;
    details?: Record<string, unknown> | undefined;
    cause?: unknown;
};

type ErrorCode = "account_has_projects" | "account_owes" | "age_change_not_allowed" | "age_restricted" | "already_in_room" | "already_queued" | "already_redeemed" | "appeal_already_resolved" | "appeal_exists" | "appeal_not_found" | "backup_not_available" | "backup_running" | "balance_remaining" | "ban_not_active" | "binding_not_found" | "blob_too_large" | "blobs_missing" | "channel_banned" | "channel_exists" | "channel_forbidden" | "channel_full" | "channel_not_found" | "checkout_not_found" | "client-not-enrolled" | "code_taken" | "config_version_not_found" | "cpu_limit_exceeded" | "cron_not_found" | "delivery_not_found" | "deployment_not_found" | "developer_session_required" | "email_not_confirmed" | "email_taken" | "environment_not_found" | "feature_disabled" | "feature_unavailable" | "function_failed" | "function_restarted" | "function_timeout" | "functions_disabled" | "functions_overloaded" | "functions_suspended" | "functions_unavailable" | "hash_mismatch" | "headers_too_large" | "host_only" | "idempotency_key_in_use" | "idempotency_key_reused" | "identity_already_linked" | "identity_not_found" | "idle" | "internal_error" | "invalid_amount" | "invalid_channel_name" | "invalid_code" | "invalid_config" | "invalid_credentials" | "invalid_deployment" | "invalid_frame" | "invalid_id_token" | "invalid_idempotency_key" | "invalid_invite_code" | "invalid_json" | "invalid_key" | "invalid_or_expired_token" | "invalid_path" | "invalid_refresh_token" | "invalid_request" | "invalid_signature" | "invalid_token" | "invite_code_used" | "invite_limit_reached" | "key_not_found" | "key_required" | "last_login_method" | "last_operator" | "leaderboard_not_found" | "memory_limit_exceeded" | "method_not_allowed" | "mode_not_found" | "muted" | "name_reserved" | "no_email" | "not_finalized" | "not_found" | "not_in_channel" | "not_in_room" | "not_p2p_room" | "operator_required" | "origin_not_allowed" | "owner_only" | "p2p_room_full" | "party_too_large" | "payload_too_large" | "player_banned" | "player_not_found" | "player_not_in_room" | "player_required" | "prepaid_required" | "project_not_found" | "provider_disabled" | "provider_not_configured" | "publishable_key_required" | "range_too_long" | "rate_limited" | "reauth_required" | "redirect_url_not_allowed" | "refresh_race" | "replaced" | "request_timeout" | "result_too_large" | "room_full" | "room_locked" | "room_not_found" | "sanction_not_found" | "save_not_found" | "save_too_large" | "secret_key_required" | "secret_not_found" | "send_forbidden" | "server_restarting" | "service_unavailable" | "session_revoked" | "share_images_disabled" | "share_inAppBrowser_disabled" | "share_link_not_found" | "share_links_disabled" | "share_tags_disabled" | "share_tracking_disabled" | "sign_up_closed" | "size_mismatch" | "slow_consumer" | "sql_error" | "state_too_large" | "token_expired" | "too_many_channels" | "too_many_event_streams" | "too_many_keys" | "too_many_links" | "too_many_projects" | "too_many_saves" | "too_many_secrets" | "too_many_stats" | "turn_unavailable" | "unauthorized" | "unknown_type" | "unsupported_content_encoding" | "unsupported_media_type" | "upgrade_required" | "version_conflict" | "voice_disabled" | "voice_in_use" | "voice_suspended" | "voice_too_large" | "voice_unavailable" | "webhook_not_configured" | "x_profile_not_found" | "x_signin_unavailable";

type PlayerSignInError = "access_denied" | "identity_already_linked" | "player_banned" | "provider_error" | "state_expired" | "x_signin_unavailable";

/** Codes of errors that the SDK itself reports. */
type ClientErrorCode = 'network_error' | 'unexpected_answer' | 'aborted' | 'signed_out' | 'secret_key_refused' | 'invalid_options' | 'insecure_context' | 'popup_blocked' | 'popup_closed' | 'popup_unreachable' | 'not_available' | 'queue_full' | 'microphone_denied' | 'microphone_not_found' | 'microphone_busy' | 'invalid_signature';

type ChosenEntry = {
    place: number;
    playerId: string;
    displayName: string;
    value: number;
    reachedAt: string;
};

/** How a message is sent. */
type SendOptions = {
    /** Ids of the receivers (default: all connected players). */
    to?: string[];
    /** Unordered and without retransmission: for positions, which the next message replaces anyway. */
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

type RoomMatch = {
    minPlayers: number;
    backfillUntil: string | null;
    pool: string | null;
};

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
    /** For a link: opens the browser of the device, if the app allows it. */
    leavingUrl: string;
    /** The app whose browser shows this page. */
    inAppBrowser: InAppBrowser | undefined;
};

/** What `svc.share.offerBrowser` takes. */
type OfferOptions = {
    /** Language tag such as `pt-BR` (default: the language of the browser). */
    language?: string;
};

/** Echo cancellation, noise suppression and gain control; each is on unless it is set to false. */
type Processing = {
    echoCancellation?: boolean;
    noiseSuppression?: boolean;
    autoGainControl?: boolean;
};

/** The part of `svc.auth` about email and password. */
type Email = {
    /** Creates a new player. To keep the data of the current guest, use `linkEmail`. */
    signUp: (body: SignUp) => Promise<Player>;
    /** Signs in with email and password; rejects with `invalid_credentials`. */
    logIn: (body: LogIn) => Promise<Player>;
    /** Gives this player an email and a password: a guest becomes an account and loses nothing. */
    linkEmail: (body: LinkEmail) => Promise<Player>;
    /** Sends the verification email again; resolves with false if the address is already verified. */
    resendVerification: (body?: MailOptions) => Promise<boolean>;
    /** Verifies the address with the token of `svc.auth.mailLink`. */
    verifyEmail(token: string): Promise<void>;
    /** Sends an email with a link to set a new password; does not reveal whether the account exists. */
    forgotPassword: (email: string, options?: MailOptions) => Promise<void>;
    /** Sets a new password with the token of `svc.auth.mailLink`; signs out everywhere. */
    resetPassword: (token: string, password: string) => Promise<void>;
};

/** The part of `svc.auth` about the player's name, data, age and bans. */
type OwnData = {
    /** Signs in with an ID token of a native sign-in. */
    native: (provider: Provider, body: NativeSignIn) => Promise<{
        player: Player;
        linked: boolean;
    }>;
    /** Removes a sign-in method; signs out all other devices. */
    unlink: (provider: Provider | 'email') => Promise<Player>;
    /** Lists the sign-in methods of the player. */
    identities: () => Promise<Player['identities']>;
    /** Changes the display name. */
    rename: (displayName: string) => Promise<Player>;
    /** Exports everything that is stored about this player. */
    exportData: () => Promise<Record<string, unknown>>;
    /** Deletes the account; cannot be undone. Requires the password if the player has one. */
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
    /** Appeals a ban. Works after the ban ended the session, with the revoked refresh token. */
    appeal: (message: string, sanctionId?: string) => Promise<AppealView>;
    /** Creates a code to continue as the same player in another browser; valid for ten minutes. */
    createTransferCode: () => Promise<TransferCode>;
    /** The news opt-in box for sign-up screens, as HTML of the service; show it unchanged, and only if `show` is true. */
    newsBox: (language?: string) => Promise<NewsBox>;
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
        reason: "above_max" | "above_max_per_submit" | "below_min" | "invalid_value" | "server_only" | "unknown_stat" | "verification_rejected" | "verification_unavailable";
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

/** The part of a WebSocket that the SDK uses; browsers and packages agree on these types only. */
type WebSocketLike = {
    onopen: unknown;
    onclose: unknown;
    onerror: unknown;
    onmessage: unknown;
    /** Sends a text message. */
    send(text: string): void;
    /** Closes the connection. */
    close(): void;
};

/** An app whose built-in browser shows the page. */
type InAppBrowser = 'x' | 'instagram' | 'facebook' | 'line' | 'tiktok';

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

export type { Channel, Room, Call };

export {};
