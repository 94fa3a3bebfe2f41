/* Written by `npm run generate`; do not edit. */

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

/**
 * Verifies that a delivery is from the service. Takes the raw body, before any parsing, and the header `Svc-Signature`.
 * Resolves with the parsed body; rejects with `invalid_signature`.
 */
export declare function verifyWebhook(rawBody: string | Uint8Array, header: string | null | undefined, secret: string, { toleranceSeconds, now }?: WebhookOptions): Promise<unknown>;

/** What `verifyWebhook` takes beside the delivery. */
export type WebhookOptions = {
    /** The greatest age of a delivery (default: 300). */
    toleranceSeconds?: number;
    /** The time in milliseconds; for tests. */
    now?: () => number;
};

/** The options of `createServerClient`. */
export type ServerOptions = {
    /** The URL of the service. */
    url: string;
    /** The secret key (sk_…). It gives full access to the environment, so keep it on your server. */
    secretKey: string;
    /** How long a call may take; 15,000 by default. */
    timeoutMs?: number;
    /** Used instead of the global `fetch`. */
    fetch?: Fetch;
};

/** A client with a secret key, see `createServerClient`. */
export type ServerClient = {
    /** Calls any endpoint that accepts a secret key; the reference lists the responses. */
    call: <Answer = unknown>(route: Route, request?: Parts, options?: CallOptions) => Promise<Answer>;
    /** Returns the player of an access token. Tokens of banned players are valid, too: check `banned`. */
    verifyToken: (token: string) => Promise<{
        id: string;
        displayName: string;
        banned: boolean;
    }>;
    /** Finds, bans, exports and deletes players. */
    players: {
        /** Searches players by id, email or the beginning of the name; newest first. */
        find: (query?: {
            q?: string;
            cursor?: string;
            banned?: boolean;
            guest?: boolean;
            online?: boolean;
            sort?: "lastSeen" | "name" | "newest";
            limit?: number;
        }) => Promise<{
            players: {
                id: string;
                displayName: string;
                isGuest: boolean;
                email: string | null;
                banned: boolean;
                createdAt: string;
                lastSeenAt: string | null;
            }[];
            nextCursor: string | null;
        }>;
        /** Returns everything about a player. */
        get: (playerId: string) => Promise<{
            id: string;
            displayName: string;
            isGuest: boolean;
            email: string | null;
            banned: boolean;
            createdAt: string;
            lastSeenAt: string | null;
            identities: {
                provider: string;
                linkedAt: string;
                email?: string;
            }[];
            emailVerified: boolean;
            age: {
                ageBand: "adult" | "child" | "teen";
                declaredAgeBand: "adult" | "child" | "teen" | null;
                capabilities: {
                    directPeer: boolean;
                    voice: boolean;
                    publicXProfile: boolean;
                    newsOptIn: boolean;
                };
            };
            sanctions: {
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
                by: {
                    type: "agent" | "developer" | "key" | "system";
                    id: string;
                    label: string;
                } | null;
            }[];
            connections: number;
            sessions: {
                id: string;
                createdAt: string;
                lastUsedAt: string | null;
                expiresAt: string;
            }[];
            room: {
                id: string;
                mode: string;
                code: string;
            } | null;
            saves: {
                key: string;
                version: number;
                size: number;
                updatedAt: string;
            }[];
            stats: Record<string, number>;
            signals: {
                id: string;
                at: string;
                key: string;
                value: unknown;
                reason: "above_max" | "above_max_per_submit" | "below_min" | "invalid_value" | "server_only" | "unknown_stat" | "verification_rejected" | "verification_unavailable";
            }[];
        }>;
        /** Bans a player and closes its connections; without `durationHours` until it is lifted. */
        ban: (playerId: string, body?: {
            reason?: string;
            durationHours?: number;
        }) => Promise<{
            id: string;
            banned: boolean;
            bannedAt: string | null;
            banReason: string | null;
            revokedSessions: number;
            banExpiresAt: string | null;
        }>;
        /** Lifts the ban; an open appeal is accepted. */
        unban: (playerId: string) => Promise<{
            id: string;
            banned: boolean;
            bannedAt: string | null;
            banReason: string | null;
            revokedSessions: number;
            banExpiresAt: string | null;
        }>;
        /** Sets the age group, also to a less strict one. */
        correctAge: (playerId: string, band: AgeBand) => Promise<{
            ageBand: "adult" | "child" | "teen";
            declaredAgeBand: "adult" | "child" | "teen" | null;
            capabilities: {
                directPeer: boolean;
                voice: boolean;
                publicXProfile: boolean;
                newsOptIn: boolean;
            };
        }>;
        /** Reports values of a player, as `svc.stats.submit` does for players; the webhook is not asked. */
        submitStats: (playerId: string, values: Record<string, number>) => Promise<{
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
        }>;
        /** Exports everything that is stored about a player. */
        export: (playerId: string) => Promise<Record<string, unknown>>;
        /** Deletes a player and all its data; cannot be undone. */
        delete: (playerId: string) => Promise<void>;
    };
    /** Appeals of banned players. */
    appeals: {
        /** Lists appeals, newest first. */
        list: (query?: {
            status?: "accepted" | "open" | "rejected";
            cursor?: string;
            limit?: number;
        }) => Promise<{
            appeals: {
                id: string;
                status: "accepted" | "open" | "rejected";
                message: string;
                response: string | null;
                createdAt: string;
                resolvedAt: string | null;
                player: {
                    id: string;
                    displayName: string;
                };
                sanction: {
                    id: string;
                    active: boolean;
                    note: string | null;
                    createdAt: string;
                    expiresAt: string | null;
                };
            }[];
            nextCursor: string | null;
        }>;
        /** Accepts or rejects an appeal; this is final. */
        resolve: (appealId: string, body: {
            accept: boolean;
            response?: string;
        }) => Promise<{
            id: string;
            status: "accepted" | "open" | "rejected";
            message: string;
            response: string | null;
            createdAt: string;
            resolvedAt: string | null;
            player: {
                id: string;
                displayName: string;
            };
            sanction: {
                id: string;
                active: boolean;
                note: string | null;
                createdAt: string;
                expiresAt: string | null;
            };
        }>;
    };
    /** Realtime channels. */
    channels: {
        /** Creates the channel, or changes the given fields. */
        put: (name: string, body?: {
            join?: "everyone" | "invited";
            send?: "everyone" | "server" | "speakers";
            open?: boolean;
            maxMembers?: number;
            allow?: string[];
            speakers?: string[];
            voice?: true | {
                mode?: "p2p" | "sfu";
                relayOnly?: boolean;
            } | null;
        }) => Promise<{
            join: "everyone" | "invited";
            send: "everyone" | "server" | "speakers";
            open: boolean;
            maxMembers: number;
            channel: string;
            allow: string[];
            speakers: string[];
            voice: {
                mode: "p2p" | "sfu";
                relayOnly: boolean;
            } | null;
            members: {
                id: string;
                displayName: string | null;
            }[];
            createdAt: string;
        }>;
        /** Reads a channel with its settings, lists and members. */
        get: (name: string) => Promise<{
            join: "everyone" | "invited";
            send: "everyone" | "server" | "speakers";
            open: boolean;
            maxMembers: number;
            channel: string;
            allow: string[];
            speakers: string[];
            voice: {
                mode: "p2p" | "sfu";
                relayOnly: boolean;
            } | null;
            members: {
                id: string;
                displayName: string | null;
            }[];
            createdAt: string;
        }>;
        /** Deletes a channel; its members receive `closed`. */
        delete: (name: string) => Promise<void>;
        /** Sends a message as the server; resolves with the number of connections that received it. */
        send: (name: string, type: string, data?: unknown) => Promise<number>;
        /** Mutes, kicks or bans a player in the channel, and so on. */
        moderate: (name: string, body: {
            op: "allowSend" | "ban" | "disallowSend" | "invite" | "kick" | "mute" | "unban" | "uninvite" | "unmute";
            playerId: string;
            seconds?: number;
        }) => Promise<void>;
    };
    /** The config document of the environment. */
    config: {
        /** Reads the document that is in effect. */
        read: () => Promise<{
            version: number;
            config: {
                $schema?: string;
                version?: 1;
                resetTimeZone?: string;
                audience?: string;
                features?: {
                    emailLogin?: boolean;
                    hosting?: boolean;
                    multiplayer?: boolean;
                    realtimeChannels?: boolean;
                    saves?: boolean;
                    stats?: boolean;
                    statsVerification?: boolean;
                    voice?: boolean;
                };
                stats?: {
                    key: string;
                    title?: string | Record<string, string>;
                    aggregation?: string;
                    maxPerSubmit?: number;
                    source?: string;
                    leaderboard?: {
                        periods?: ("allTime" | "daily" | "monthly" | "weekly")[];
                        order?: "asc" | "desc";
                        verifiedOnly?: boolean;
                    };
                }[];
                multiplayer?: {
                    modes?: {
                        key: string;
                        title?: string | Record<string, string>;
                        minPlayers?: number;
                        maxPlayers?: number;
                        fillTimeoutSeconds?: number;
                        gatherSeconds?: number;
                        backfillSeconds?: number;
                        transport?: string;
                        p2p?: {
                            maxPlayers?: number;
                            relayOnly?: boolean;
                        };
                    }[];
                };
                auth?: {
                    redirectUrls?: string[];
                    providers?: {
                        apple?: {
                            enabled?: boolean;
                        };
                        discord?: {
                            enabled?: boolean;
                        };
                        google?: {
                            enabled?: boolean;
                        };
                        x?: {
                            enabled?: boolean;
                        };
                    };
                };
                web?: {
                    allowedOrigins?: string[];
                };
                share?: {
                    images?: {
                        enabled?: boolean;
                        title?: string | Record<string, string>;
                        background?: string;
                        font?: string;
                        theme?: {
                            background?: string;
                            accent?: string;
                            text?: string;
                        };
                    };
                    tags?: {
                        enabled?: boolean;
                        title?: string | Record<string, string>;
                        description?: string | Record<string, string>;
                        imageAlt?: string | Record<string, string>;
                        image?: string;
                        site?: string;
                    };
                    links?: {
                        enabled?: boolean;
                        text?: string | Record<string, string>;
                        hashtags?: string[];
                        via?: string;
                    };
                    tracking?: {
                        enabled?: boolean;
                    };
                    inAppBrowser?: {
                        enabled?: boolean;
                    };
                };
                integrity?: {
                    stats?: {
                        rules?: {
                            stat: string;
                            min?: number;
                            max?: number;
                        }[];
                        maxSubmitsPerMinute?: number;
                        webhook?: {
                            url?: string;
                            timeoutMs?: number;
                            onFailure?: string;
                        };
                    };
                };
                svcNews?: {
                    optIn?: boolean;
                };
            };
            updatedAt: string | null;
        }>;
        /** Replaces the whole document; `changed` is false if it was equal. */
        push: (document: object) => Promise<Pushed>;
        /** Returns what a push would change, without changing it. */
        dryRun: (document: object) => Promise<DryRun>;
        /** Lists versions, newest first. */
        versions: (query?: {
            limit?: number;
            before?: number;
        }) => Promise<{
            versions: {
                version: number;
                updatedAt: string;
                actor: {
                    type: "agent" | "developer" | "key" | "system";
                    id: string;
                    label: string;
                };
                changes: {
                    path: string;
                    before: unknown;
                    after: unknown;
                }[];
                changeCount: number;
            }[];
            nextBefore: number | null;
        }>;
        /** Reads the document of a version. */
        version: (version: number) => Promise<{
            version: number;
            config: {
                $schema?: string;
                version?: 1;
                resetTimeZone?: string;
                audience?: string;
                features?: {
                    emailLogin?: boolean;
                    hosting?: boolean;
                    multiplayer?: boolean;
                    realtimeChannels?: boolean;
                    saves?: boolean;
                    stats?: boolean;
                    statsVerification?: boolean;
                    voice?: boolean;
                };
                stats?: {
                    key: string;
                    title?: string | Record<string, string>;
                    aggregation?: string;
                    maxPerSubmit?: number;
                    source?: string;
                    leaderboard?: {
                        periods?: ("allTime" | "daily" | "monthly" | "weekly")[];
                        order?: "asc" | "desc";
                        verifiedOnly?: boolean;
                    };
                }[];
                multiplayer?: {
                    modes?: {
                        key: string;
                        title?: string | Record<string, string>;
                        minPlayers?: number;
                        maxPlayers?: number;
                        fillTimeoutSeconds?: number;
                        gatherSeconds?: number;
                        backfillSeconds?: number;
                        transport?: string;
                        p2p?: {
                            maxPlayers?: number;
                            relayOnly?: boolean;
                        };
                    }[];
                };
                auth?: {
                    redirectUrls?: string[];
                    providers?: {
                        apple?: {
                            enabled?: boolean;
                        };
                        discord?: {
                            enabled?: boolean;
                        };
                        google?: {
                            enabled?: boolean;
                        };
                        x?: {
                            enabled?: boolean;
                        };
                    };
                };
                web?: {
                    allowedOrigins?: string[];
                };
                share?: {
                    images?: {
                        enabled?: boolean;
                        title?: string | Record<string, string>;
                        background?: string;
                        font?: string;
                        theme?: {
                            background?: string;
                            accent?: string;
                            text?: string;
                        };
                    };
                    tags?: {
                        enabled?: boolean;
                        title?: string | Record<string, string>;
                        description?: string | Record<string, string>;
                        imageAlt?: string | Record<string, string>;
                        image?: string;
                        site?: string;
                    };
                    links?: {
                        enabled?: boolean;
                        text?: string | Record<string, string>;
                        hashtags?: string[];
                        via?: string;
                    };
                    tracking?: {
                        enabled?: boolean;
                    };
                    inAppBrowser?: {
                        enabled?: boolean;
                    };
                };
                integrity?: {
                    stats?: {
                        rules?: {
                            stat: string;
                            min?: number;
                            max?: number;
                        }[];
                        maxSubmitsPerMinute?: number;
                        webhook?: {
                            url?: string;
                            timeoutMs?: number;
                            onFailure?: string;
                        };
                    };
                };
                svcNews?: {
                    optIn?: boolean;
                };
            };
            updatedAt: string;
            actor: {
                type: "agent" | "developer" | "key" | "system";
                id: string;
                label: string;
            };
        }>;
        /** Pushes the document of an old version again, as a new version. */
        restore: (version: number) => Promise<{
            version: number;
            changed: boolean;
            config: {
                $schema?: string;
                version?: 1;
                resetTimeZone?: string;
                audience?: string;
                features?: {
                    emailLogin?: boolean;
                    hosting?: boolean;
                    multiplayer?: boolean;
                    realtimeChannels?: boolean;
                    saves?: boolean;
                    stats?: boolean;
                    statsVerification?: boolean;
                    voice?: boolean;
                };
                stats?: {
                    key: string;
                    title?: string | Record<string, string>;
                    aggregation?: string;
                    maxPerSubmit?: number;
                    source?: string;
                    leaderboard?: {
                        periods?: ("allTime" | "daily" | "monthly" | "weekly")[];
                        order?: "asc" | "desc";
                        verifiedOnly?: boolean;
                    };
                }[];
                multiplayer?: {
                    modes?: {
                        key: string;
                        title?: string | Record<string, string>;
                        minPlayers?: number;
                        maxPlayers?: number;
                        fillTimeoutSeconds?: number;
                        gatherSeconds?: number;
                        backfillSeconds?: number;
                        transport?: string;
                        p2p?: {
                            maxPlayers?: number;
                            relayOnly?: boolean;
                        };
                    }[];
                };
                auth?: {
                    redirectUrls?: string[];
                    providers?: {
                        apple?: {
                            enabled?: boolean;
                        };
                        discord?: {
                            enabled?: boolean;
                        };
                        google?: {
                            enabled?: boolean;
                        };
                        x?: {
                            enabled?: boolean;
                        };
                    };
                };
                web?: {
                    allowedOrigins?: string[];
                };
                share?: {
                    images?: {
                        enabled?: boolean;
                        title?: string | Record<string, string>;
                        background?: string;
                        font?: string;
                        theme?: {
                            background?: string;
                            accent?: string;
                            text?: string;
                        };
                    };
                    tags?: {
                        enabled?: boolean;
                        title?: string | Record<string, string>;
                        description?: string | Record<string, string>;
                        imageAlt?: string | Record<string, string>;
                        image?: string;
                        site?: string;
                    };
                    links?: {
                        enabled?: boolean;
                        text?: string | Record<string, string>;
                        hashtags?: string[];
                        via?: string;
                    };
                    tracking?: {
                        enabled?: boolean;
                    };
                    inAppBrowser?: {
                        enabled?: boolean;
                    };
                };
                integrity?: {
                    stats?: {
                        rules?: {
                            stat: string;
                            min?: number;
                            max?: number;
                        }[];
                        maxSubmitsPerMinute?: number;
                        webhook?: {
                            url?: string;
                            timeoutMs?: number;
                            onFailure?: string;
                        };
                    };
                };
                svcNews?: {
                    optIn?: boolean;
                };
            };
        }>;
        /** Lists all features, and whether each is on. */
        features: () => Promise<{
            key: string;
            title: string;
            configPath: string | null;
            source: "config" | "default" | "operation" | "operator";
            enabled: boolean;
            problems?: string[];
        }[]>;
    };
    /** App hosting. */
    deployments: Deployments;
    /** The stats verification webhook. */
    webhook: {
        /** Reads the secret for `verifyWebhook`. */
        secret: () => Promise<string>;
        /** Lists the last deliveries. */
        deliveries: (query?: {
            limit?: number;
        }) => Promise<{
            id: string;
            at: string;
            kind: "replay" | "stats.verify" | "test";
            url: string;
            status: number | null;
            durationMs: number;
            outcome: "answered" | "failed";
            error: string | null;
            answer: string | null;
        }[]>;
        /** Sends a test delivery and returns its result. */
        test: () => Promise<{
            id: string;
            at: string;
            kind: "replay" | "stats.verify" | "test";
            url: string;
            status: number | null;
            durationMs: number;
            outcome: "answered" | "failed";
            error: string | null;
            answer: string | null;
        }>;
    };
};

/** `GET /v1/admin/players`, with the names of parameters as the reference has them: `/v1/admin/players/:playerId`. */
export type Route = `${'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'} /${string}`;

/** A client for your own server, with the secret key of an environment. */
export declare function createServerClient({ url, secretKey, timeoutMs, fetch }: ServerOptions): ServerClient;

/** A save without its data. */
type SaveSummary = {
    key: string;
    version: number;
    size: number;
    updatedAt: string;
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

/** The part of `fetch` that the SDK uses. */
type Fetch = (url: string, request?: RequestInit) => Promise<Response>;

/** The parts of a request, without their types. */
type Parts = {
    params?: Record<string, unknown>;
    query?: Record<string, unknown>;
    body?: unknown;
};

/** What a single call adds to its request. */
type CallOptions = {
    headers?: Record<string, string>;
    /** The service performs a repeated call with the same key only once. */
    idempotencyKey?: string;
    /** The body of an endpoint that takes a file. */
    bytes?: Uint8Array | Blob;
    /** The body as JSON text, sent unchanged instead of `body`: numbers stay as they are written. */
    json?: string;
    /** Reads the text of the answer instead of `JSON.parse`, for example because its numbers are longer than those of JavaScript. */
    parse?: (text: string) => unknown;
};

type AgeBand = "adult" | "child" | "teen";

type Pushed = {
    version: number;
    changed: boolean;
    config: {
        $schema?: string;
        version?: 1;
        resetTimeZone?: string;
        audience?: string;
        features?: {
            emailLogin?: boolean;
            hosting?: boolean;
            multiplayer?: boolean;
            realtimeChannels?: boolean;
            saves?: boolean;
            stats?: boolean;
            statsVerification?: boolean;
            voice?: boolean;
        };
        stats?: {
            key: string;
            title?: string | Record<string, string>;
            aggregation?: string;
            maxPerSubmit?: number;
            source?: string;
            leaderboard?: {
                periods?: ("allTime" | "daily" | "monthly" | "weekly")[];
                order?: "asc" | "desc";
                verifiedOnly?: boolean;
            };
        }[];
        multiplayer?: {
            modes?: {
                key: string;
                title?: string | Record<string, string>;
                minPlayers?: number;
                maxPlayers?: number;
                fillTimeoutSeconds?: number;
                gatherSeconds?: number;
                backfillSeconds?: number;
                transport?: string;
                p2p?: {
                    maxPlayers?: number;
                    relayOnly?: boolean;
                };
            }[];
        };
        auth?: {
            redirectUrls?: string[];
            providers?: {
                apple?: {
                    enabled?: boolean;
                };
                discord?: {
                    enabled?: boolean;
                };
                google?: {
                    enabled?: boolean;
                };
                x?: {
                    enabled?: boolean;
                };
            };
        };
        web?: {
            allowedOrigins?: string[];
        };
        share?: {
            images?: {
                enabled?: boolean;
                title?: string | Record<string, string>;
                background?: string;
                font?: string;
                theme?: {
                    background?: string;
                    accent?: string;
                    text?: string;
                };
            };
            tags?: {
                enabled?: boolean;
                title?: string | Record<string, string>;
                description?: string | Record<string, string>;
                imageAlt?: string | Record<string, string>;
                image?: string;
                site?: string;
            };
            links?: {
                enabled?: boolean;
                text?: string | Record<string, string>;
                hashtags?: string[];
                via?: string;
            };
            tracking?: {
                enabled?: boolean;
            };
            inAppBrowser?: {
                enabled?: boolean;
            };
        };
        integrity?: {
            stats?: {
                rules?: {
                    stat: string;
                    min?: number;
                    max?: number;
                }[];
                maxSubmitsPerMinute?: number;
                webhook?: {
                    url?: string;
                    timeoutMs?: number;
                    onFailure?: string;
                };
            };
        };
        svcNews?: {
            optIn?: boolean;
        };
    };
};

type DryRun = {
    valid: true;
    changes: {
        path: string;
        before: unknown;
        after: unknown;
    }[];
};

/** `deployments` of the server client. */
type Deployments = {
    /** Creates a deployment; `missing` contains the hashes of the files to upload. */
    create: (body: NewDeployment) => Promise<{
        deploymentId: string;
        version: number;
        missing: string[];
        missingBytes: number;
    }>;
    /** Uploads one file. */
    upload: (sha256: string, bytes: Uint8Array) => Promise<{
        sha256: string;
        size: number;
    }>;
    /** Completes a deployment once all files are uploaded, and optionally activates it. */
    finalize: (ref: string | number, body?: {
        activate?: boolean;
    }) => Promise<{
        deploymentId: string;
        version: number;
        status: "finalized" | "uploading";
        live: boolean;
        url: string;
    }>;
    /** Makes a finalized deployment live; an older one is a rollback. */
    activate: (ref: string | number) => Promise<{
        deploymentId: string;
        version: number;
        status: "finalized" | "uploading";
        live: boolean;
        url: string;
    }>;
    /** Lists deployments, newest first. */
    list: (query?: {
        limit?: number;
    }) => Promise<{
        deploymentId: string;
        version: number;
        status: "finalized" | "uploading";
        live: boolean;
        message: string | null;
        fileCount: number;
        totalBytes: number;
        createdAt: string;
        by: {
            type: "agent" | "developer" | "key" | "system";
            id: string;
            label: string;
        } | null;
        activatedAt: string | null;
    }[]>;
    /** Reads one deployment with its files. */
    get: (ref: string | number) => Promise<{
        deployment: {
            deploymentId: string;
            version: number;
            status: "finalized" | "uploading";
            live: boolean;
            message: string | null;
            fileCount: number;
            totalBytes: number;
            createdAt: string;
            by: {
                type: "agent" | "developer" | "key" | "system";
                id: string;
                label: string;
            } | null;
            activatedAt: string | null;
        };
        files: {
            path: string;
            sha256: string;
            size: number;
        }[];
    }>;
    /** Reads the live version and its URL. */
    live: () => Promise<{
        live: {
            deploymentId: string;
            version: number;
        } | null;
        urls: string[];
    }>;
};

/** The files and the message of a new deployment. */
type NewDeployment = {
    files: {
        path: string;
        sha256: string;
        size: number;
    }[];
    message?: string;
};

export {};
