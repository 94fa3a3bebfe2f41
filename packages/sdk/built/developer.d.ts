/* Written by `npm run generate`; do not edit. */

/** What a developer session may call: request and response by name. */
export type DeveloperCalls = {
    /** List players of the environment, newest first; with q the player with that id or email, or all whose name begins with q, sorted by name; a page of a filtered list may be short or empty and still have a nextCursor. A player who is seen or renamed between two pages moves in the orders lastSeen and name; newest delivers everybody once */
    searchPlayers: {
        request: {
            query: {
                q?: string;
                cursor?: string;
                banned?: boolean;
                guest?: boolean;
                online?: boolean;
                sort?: "lastSeen" | "name" | "newest";
                limit?: number;
            };
        } & InEnvironment;
        response: {
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
        };
    };
    /** Get a player; includes identities, age, sanctions and stored feature data */
    readPlayerDetail: {
        request: {
            params: {
                playerId: string;
            };
        } & InEnvironment;
        response: {
            player: {
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
            };
        };
    };
    /** Permanently delete a player and all its data */
    deletePlayer: {
        request: {
            params: {
                playerId: string;
            };
        } & InEnvironment;
        response: {
            deleted: true;
        };
    };
    /** The same as POST */
    deletePlayerByDelete: {
        request: {
            params: {
                playerId: string;
            };
        } & InEnvironment;
        response: {
            deleted: true;
        };
    };
    /** Export all data stored about a player */
    exportPlayer: {
        request: {
            params: {
                playerId: string;
            };
        } & InEnvironment;
        response: {
            [x: string]: unknown;
        };
    };
    /** The same as GET */
    exportPlayerByPost: {
        request: {
            params: {
                playerId: string;
            };
        } & InEnvironment;
        response: {
            [x: string]: unknown;
        };
    };
    /** End all sessions of a player and close its connections; a guest without a sign-in method cannot sign in again */
    signOutPlayer: {
        request: {
            params: {
                playerId: string;
            };
        } & InEnvironment;
        response: {
            revokedSessions: number;
        };
    };
    /** Get the stats of a player by period, also while the feature is off */
    readPlayerStats: {
        request: {
            params: {
                playerId: string;
            };
        } & InEnvironment;
        response: {
            stats: {
                allTime: number;
                daily: number;
                weekly: number;
                monthly: number;
                key: string;
                aggregation: string;
                updatedAt: string;
            }[];
        };
    };
    /** Read a save of a player, also while the feature is off */
    readPlayerSave: {
        request: {
            params: {
                playerId: string;
                key: string;
            };
        } & InEnvironment;
        response: {
            key: string;
            version: number;
            size: number;
            updatedAt: string;
            data: unknown;
        };
    };
    /** Write a save of a player, also while the feature is off; with ifVersion, only if that is the current version; written to the audit log */
    writePlayerSave: {
        request: {
            body: {
                data: unknown;
                ifVersion?: number | null;
            };
            params: {
                playerId: string;
                key: string;
            };
        } & InEnvironment;
        response: {
            key: string;
            version: number;
            size: number;
            updatedAt: string;
        };
    };
    /** Delete a save of a player, also while the feature is off; with ifVersion, only if that is the current version; written to the audit log */
    deletePlayerSave: {
        request: {
            params: {
                playerId: string;
                key: string;
            };
            query: {
                ifVersion?: number;
            };
        } & InEnvironment;
        response: {
            deleted: true;
        };
    };
    /** Create guests in development to try an app out with, at most 30 times an hour; they are deleted after 24 hours */
    createPlaygroundPlayers: {
        request: {
            body: {
                count: number;
            };
            params: {
                projectId: string;
                env: string;
            };
        };
        response: {
            key: string;
            sessions: {
                player: {
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
                accessToken: string;
                expiresIn: number;
                refreshToken: string;
            }[];
        };
    };
    /** List the appeals of the environment, newest first */
    listAppeals: {
        request: {
            query: {
                status?: "accepted" | "open" | "rejected";
                cursor?: string;
                limit?: number;
            };
        } & InEnvironment;
        response: {
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
        };
    };
    /** Resolve an appeal; accepting it lifts the ban */
    resolveAppeal: {
        request: {
            body: {
                accept: boolean;
                response?: string;
            };
            params: {
                appealId: string;
            };
        } & InEnvironment;
        response: {
            appeal: {
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
            };
        };
    };
    /** Correct the age group of a player, in either direction */
    correctAge: {
        request: {
            body: {
                band: "adult" | "child" | "teen";
            };
            params: {
                playerId: string;
            };
        } & InEnvironment;
        response: {
            ageBand: "adult" | "child" | "teen";
            declaredAgeBand: "adult" | "child" | "teen" | null;
            capabilities: {
                directPeer: boolean;
                voice: boolean;
                publicXProfile: boolean;
                newsOptIn: boolean;
            };
        };
    };
    /** Ban a player; immediately ends sessions, closes connections, and rejects sign-ins and writes */
    banPlayer: {
        request: {
            body: {
                reason?: string;
                durationHours?: number;
            };
            params: {
                playerId: string;
            };
        } & InEnvironment;
        response: {
            player: {
                id: string;
                banned: boolean;
                bannedAt: string | null;
                banReason: string | null;
                revokedSessions: number;
                banExpiresAt: string | null;
            };
        };
    };
    /** Unban a player */
    unbanPlayer: {
        request: {
            body: object;
            params: {
                playerId: string;
            };
        } & InEnvironment;
        response: {
            player: {
                id: string;
                banned: boolean;
                bannedAt: string | null;
                banReason: string | null;
                revokedSessions: number;
                banExpiresAt: string | null;
            };
        };
    };
    /** Confirm a news subscription with the token from the email (valid for 30 days) */
    confirmNews: {
        request: {
            body: {
                token: string;
            };
        };
        response: {
            subscribed: true;
        };
    };
    /** Unsubscribe an address from news of all apps; the link never expires */
    unsubscribeFromNews: {
        request: {
            body: {
                token: string;
            };
        };
        response: {
            subscribed: false;
        };
    };
    /** List rejected values of all players, newest first */
    listSignals: {
        request: {
            query: {
                reason?: "above_max" | "above_max_per_submit" | "below_min" | "invalid_value" | "server_only" | "unknown_stat" | "verification_rejected" | "verification_unavailable";
                cursor?: string;
                limit?: number;
            };
        } & InEnvironment;
        response: {
            signals: {
                id: string;
                at: string;
                key: string;
                value: unknown;
                reason: "above_max" | "above_max_per_submit" | "below_min" | "invalid_value" | "server_only" | "unknown_stat" | "verification_rejected" | "verification_unavailable";
                player: {
                    id: string;
                    displayName: string;
                };
            }[];
            nextCursor: string | null;
        };
    };
    /** List the last 100 webhook deliveries, newest first */
    listWebhookDeliveries: {
        request: {
            query: {
                limit?: number;
            };
        } & InEnvironment;
        response: {
            deliveries: {
                id: string;
                at: string;
                kind: "replay" | "stats.verify" | "test";
                url: string;
                status: number | null;
                durationMs: number;
                outcome: "answered" | "failed";
                error: string | null;
                answer: string | null;
            }[];
        };
    };
    /** Get the signing secret of the stats verification webhook */
    readWebhookSecret: {
        request: {} & InEnvironment;
        response: {
            secret: string;
        };
    };
    /** Send a test delivery to the configured webhook; no player data is stored */
    testWebhook: {
        request: {} & InEnvironment;
        response: {
            delivery: {
                id: string;
                at: string;
                kind: "replay" | "stats.verify" | "test";
                url: string;
                status: number | null;
                durationMs: number;
                outcome: "answered" | "failed";
                error: string | null;
                answer: string | null;
            };
        };
    };
    /** Send an earlier delivery again to the configured webhook; the answer changes no stats */
    replayWebhookDelivery: {
        request: {
            params: {
                id: string;
            };
        } & InEnvironment;
        response: {
            delivery: {
                id: string;
                at: string;
                kind: "replay" | "stats.verify" | "test";
                url: string;
                status: number | null;
                durationMs: number;
                outcome: "answered" | "failed";
                error: string | null;
                answer: string | null;
            };
        };
    };
    /** Report values of a player as your server, at most 64 stats at once; the rules of the config apply, without the webhook and without a limit per minute */
    submitPlayerStats: {
        request: {
            body: {
                stats: Record<string, unknown>;
            };
            params: {
                playerId: string;
            };
        } & InEnvironment;
        response: {
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
    };
    /** List the leaderboards of the config, with the number of entries */
    listLeaderboards: {
        request: {} & InEnvironment;
        response: {
            leaderboards: {
                key: string;
                order: "asc" | "desc";
                verifiedOnly: boolean;
                periods: {
                    period: "allTime" | "daily" | "monthly" | "weekly";
                    label: string | null;
                    count: number;
                }[];
            }[];
        };
    };
    /** Read a leaderboard with all ids and names, and the players who are not shown */
    readLeaderboardAsAdmin: {
        request: {
            params: {
                key: string;
            };
            query: {
                period?: "allTime" | "daily" | "monthly" | "weekly";
                at?: string;
                cursor?: string;
                limit?: number;
            };
        } & InEnvironment;
        response: {
            key: string;
            period: "allTime" | "daily" | "monthly" | "weekly";
            label: string | null;
            order: "asc" | "desc";
            startsAt: string | null;
            endsAt: string | null;
            count: number;
            entries: {
                rank: number | null;
                playerId: string;
                displayName: string | null;
                value: number;
                reachedAt: string;
                hidden: boolean;
                banned: boolean;
                optedOut: boolean;
            }[];
            notShown: {
                rank: number | null;
                playerId: string;
                displayName: string | null;
                value: number;
                reachedAt: string;
                hidden: boolean;
                banned: boolean;
                optedOut: boolean;
            }[];
            nextCursor: string | null;
        };
    };
    /** List the last 100 closed periods, newest first */
    listLeaderboardPeriodsAsAdmin: {
        request: {
            params: {
                key: string;
            };
        } & InEnvironment;
        response: {
            periods: {
                period: "allTime" | "daily" | "monthly" | "weekly";
                label: string;
                startsAt: string;
                endsAt: string;
                count: number;
            }[];
        };
    };
    /** Empty a leaderboard and delete the values of its stat, for all players; closed periods stay */
    resetLeaderboard: {
        request: {
            params: {
                key: string;
            };
        } & InEnvironment;
        response: object;
    };
    /** Hide a player on a leaderboard immediately, or show the player again */
    hideLeaderboardEntry: {
        request: {
            body: {
                hidden: boolean;
            };
            params: {
                key: string;
                playerId: string;
            };
        } & InEnvironment;
        response: {
            playerId: string;
            hidden: boolean;
        };
    };
    /** Remove a player from a leaderboard and its closed periods, and delete the values of the stat */
    removeLeaderboardEntry: {
        request: {
            params: {
                key: string;
                playerId: string;
            };
        } & InEnvironment;
        response: {
            deleted: true;
        };
    };
    /** Create a tracked link, to count the visits of one post or page; at most 1,000 per environment */
    createTrackedLink: {
        request: {
            body: {
                label: string;
            };
        } & InEnvironment;
        response: {
            link: {
                id: string;
                kind: "challenge" | "plain" | "score" | "tracked";
                score: number | null;
                displayName: string | null;
                createdAt: string;
                label: string;
            };
            url: string | null;
            query: string;
        };
    };
    /** Visits, new players and plays per share link, by UTC days; by default the last 30, at most 366 */
    readShareStats: {
        request: {
            query: {
                from?: string;
                to?: string;
                shareId?: string;
                limit?: number;
            };
        } & InEnvironment;
        response: {
            from: string;
            to: string;
            totals: {
                visits: number;
                newPlayers: number;
                plays: number;
            };
            days: {
                visits: number;
                newPlayers: number;
                plays: number;
                date: string;
            }[];
            links: {
                visits: number;
                newPlayers: number;
                plays: number;
                shareId: string;
                label: string | null;
                kind: "challenge" | "plain" | "score" | "tracked" | null;
            }[];
        };
    };
    /** Get the card tags, as a developer or server */
    readShareTagsAsAdmin: {
        request: {
            query: {
                ks?: string;
            };
        } & InEnvironment;
        response: {
            html: string;
            tags: {
                property?: string;
                name?: string;
                content: string;
            }[];
            image: string;
            defaultImage: string;
            shareImageTemplate: string | null;
        };
    };
    /** The card of a share link as a PNG of 1200x600; it never changes; no key needed */
    readLinkCard: {
        request: {
            params: {
                label: string;
                shareId: string;
            };
        };
        response: string;
    };
    /** The card of an app as a PNG of 1200x600; no key needed */
    readDefaultCard: {
        request: {
            params: {
                label: string;
            };
        };
        response: string;
    };
    /** Draw a card with a title and colors that are not pushed yet, and the live background and font; at most 60 a minute */
    previewCard: {
        request: {
            body: {
                kind: "challenge" | "default" | "score";
                title?: string;
                theme: {
                    background: string;
                    accent: string;
                    text: string;
                };
                score?: number;
            };
            params: {
                projectId: string;
                env: string;
            };
        };
        response: {
            png: string;
            drawn: boolean;
            problems: string[];
        };
    };
    /** Log in with email and password */
    logIn: {
        request: {
            body: {
                email: string;
                password: string;
            };
        };
        response: {
            developer: {
                id: string;
                email: string;
                name: string | null;
                emailVerified: boolean;
                hasPassword: boolean;
                isOperator: boolean;
                createdAt: string;
            };
            token: string;
            expiresIn: number;
        };
    };
    /** End this session immediately */
    logOut: {
        request: {};
        response: object;
    };
    /** Get your account */
    readMe: {
        request: {};
        response: {
            developer: {
                id: string;
                email: string;
                name: string | null;
                emailVerified: boolean;
                hasPassword: boolean;
                isOperator: boolean;
                createdAt: string;
            };
        };
    };
    /** Change the name of your account; an empty text removes it */
    renameMe: {
        request: {
            body: {
                name: string;
            };
        };
        response: {
            developer: {
                id: string;
                email: string;
                name: string | null;
                emailVerified: boolean;
                hasPassword: boolean;
                isOperator: boolean;
                createdAt: string;
            };
        };
    };
    /** Permanently delete your account; requires the password or a reauthToken. Delete its projects first; prepaid credit is lost, so the request must say forfeitBalance */
    deleteMe: {
        request: {
            body: {
                password?: string;
                reauthToken?: string;
                forfeitBalance?: boolean;
            };
        };
        response: {
            deleted: true;
        };
    };
    /** Create a developer account */
    signUp: {
        request: {
            body: {
                email: string;
                password: string;
                name?: string;
                inviteCode?: string;
                invitation?: string;
            };
        };
        response: {
            developer: {
                id: string;
                email: string;
                name: string | null;
                emailVerified: boolean;
                hasPassword: boolean;
                isOperator: boolean;
                createdAt: string;
            };
            token: string;
            expiresIn: number;
        };
    };
    /** Send the confirmation email again, at most once a minute; earlier links stop working */
    resendVerification: {
        request: {};
        response: {
            sent: boolean;
        };
    };
    /** Confirm an email address with the token from the link (valid once, for 24 hours) */
    verifyEmail: {
        request: {
            body: {
                token: string;
            };
        };
        response: {
            verified: true;
        };
    };
    /** Set or change the password; ends all other sessions */
    changePassword: {
        request: {
            body: {
                password: string;
                currentPassword?: string;
                reauthToken?: string;
            };
        };
        response: {
            developer: {
                id: string;
                email: string;
                name: string | null;
                emailVerified: boolean;
                hasPassword: boolean;
                isOperator: boolean;
                createdAt: string;
            };
        };
    };
    /** List your sessions, newest first */
    listOwnSessions: {
        request: {};
        response: {
            sessions: {
                id: string;
                createdAt: string;
                lastUsedAt: string;
                expiresAt: string;
                current: boolean;
            }[];
        };
    };
    /** End all your other sessions immediately */
    endOtherSessions: {
        request: {};
        response: {
            ended: number;
        };
    };
    /** Send an email with a password reset link; the response does not reveal whether the account exists */
    forgotPassword: {
        request: {
            body: {
                email: string;
            };
        };
        response: object;
    };
    /** Set a new password with the token from the link (valid once, for 30 minutes); ends all sessions */
    resetPassword: {
        request: {
            body: {
                token: string;
                password: string;
            };
        };
        response: object;
    };
    /** End one of your sessions immediately */
    endOwnSession: {
        request: {
            params: {
                sessionId: string;
            };
        };
        response: {
            deleted: true;
        };
    };
    /** Start the sign-in of a command line: a code that a signed-in developer confirms in the dashboard */
    createDeviceCode: {
        request: {};
        response: {
            code: string;
            deviceSecret: string;
            url: string;
            expiresIn: number;
            intervalSeconds: number;
        };
    };
    /** Confirm or refuse a code; a confirmed one gives the command line a session of your account */
    decideDeviceCode: {
        request: {
            body: {
                code: string;
                confirm: boolean;
            };
        };
        response: {
            confirmed: boolean;
        };
    };
    /** Show who asks for a session, before you confirm the code */
    findDeviceCode: {
        request: {
            body: {
                code: string;
            };
        };
        response: {
            code: string;
            address: string;
            isYourAddress: boolean;
            createdAt: string;
            expiresAt: string;
        };
    };
    /** Collect the session once the code is confirmed (valid once, for 10 minutes after the start) */
    collectDeviceSession: {
        request: {
            body: {
                deviceSecret: string;
            };
        };
        response: {
            status: "confirmed" | "pending" | "refused";
            session: {
                developer: {
                    id: string;
                    email: string;
                    name: string | null;
                    emailVerified: boolean;
                    hasPassword: boolean;
                    isOperator: boolean;
                    createdAt: string;
                };
                token: string;
                expiresIn: number;
            } | null;
        };
    };
    /** List the external sign-in methods of your account */
    listIdentities: {
        request: {};
        response: {
            identities: {
                provider: string;
                email: string | null;
                linkedAt: string;
            }[];
        };
    };
    /** Complete an external sign-in with the svc_code from the redirect URL (valid once, for 60 seconds) */
    exchangeCode: {
        request: {
            body: {
                code: string;
                verifier: string;
                inviteCode?: string;
                invitation?: string;
            };
        };
        response: {
            developer: {
                id: string;
                email: string;
                name: string | null;
                emailVerified: boolean;
                hasPassword: boolean;
                isOperator: boolean;
                createdAt: string;
            };
            token: string;
            expiresIn: number;
            invite?: {
                ignored: true;
            };
        } | {
            developer: {
                id: string;
                email: string;
                name: string | null;
                emailVerified: boolean;
                hasPassword: boolean;
                isOperator: boolean;
                createdAt: string;
            };
            identity: {
                provider: string;
                email: string | null;
                linkedAt: string;
            };
        } | {
            reauthToken: string;
            expiresIn: number;
        };
    };
    /** Remove an external sign-in method; requires the password or a reauthToken and ends all other sessions */
    removeIdentity: {
        request: {
            body: {
                password?: string;
                reauthToken?: string;
            };
            params: {
                provider: string;
            };
        };
        response: {
            developer: {
                id: string;
                email: string;
                name: string | null;
                emailVerified: boolean;
                hasPassword: boolean;
                isOperator: boolean;
                createdAt: string;
            };
        };
    };
    /** Start an external sign-in; send the browser to the returned url */
    startSignIn: {
        request: {
            body: {
                redirectUrl: string;
                challenge: string;
                intent?: "link" | "reauth" | "signin";
            };
            params: {
                provider: string;
            };
        };
        response: {
            url: string;
        };
    };
    /** List your projects, newest first */
    listProjects: {
        request: {};
        response: {
            projects: {
                id: string;
                name: string;
                slug: string;
                createdAt: string;
                environments: {
                    id: string;
                    name: "development" | "production";
                    players: number;
                    online: number;
                    liveVersion: number | null;
                }[];
            }[];
        };
    };
    /** Create a project with a development and a production environment; returns all four keys in plain text, once */
    createProject: {
        request: {
            body: {
                name: string;
            };
        };
        response: {
            project: {
                id: string;
                name: string;
                slug: string;
                createdAt: string;
                environments: {
                    id: string;
                    name: "development" | "production";
                }[];
            };
            keys: {
                id: string;
                environment: "development" | "production";
                type: "publishable" | "secret";
                key: string;
            }[];
        };
    };
    /** Get a project */
    readProject: {
        request: {
            params: {
                projectId: string;
            };
        };
        response: {
            project: {
                id: string;
                name: string;
                slug: string;
                createdAt: string;
                environments: {
                    id: string;
                    name: "development" | "production";
                }[];
            };
        };
    };
    /** Rename a project, at most 20 times an hour; the slug does not change */
    renameProject: {
        request: {
            body: {
                name: string;
            };
            params: {
                projectId: string;
            };
        };
        response: {
            project: {
                id: string;
                name: string;
                slug: string;
                createdAt: string;
                environments: {
                    id: string;
                    name: "development" | "production";
                }[];
            };
            previousName: string;
            changed: boolean;
        };
    };
    /** Delete a project and all its data; its keys stop working immediately */
    deleteProject: {
        request: {
            params: {
                projectId: string;
            };
        };
        response: {
            deleted: true;
        };
    };
    /** Change the label of a key; an empty text removes it */
    relabelKey: {
        request: {
            body: {
                label: string;
            };
            params: {
                projectId: string;
                keyId: string;
            };
        };
        response: {
            key: {
                id: string;
                type: "publishable" | "secret";
                environment: "development" | "production";
                label: string | null;
                last4: string;
                plaintext: string | null;
                createdAt: string;
                createdBy: {
                    type: "agent" | "developer" | "key" | "system";
                    id: string;
                    label: string;
                } | null;
                lastUsedAt: string | null;
            };
        };
    };
    /** Revoke a key; it stops working immediately on all nodes */
    revokeKey: {
        request: {
            params: {
                projectId: string;
                keyId: string;
            };
        };
        response: {
            deleted: true;
        };
    };
    /** Get active players, new players and bans per UTC day, oldest first; the last day is not over */
    readActivity: {
        request: {
            params: {
                projectId: string;
                env: string;
            };
            query: {
                days?: number;
            };
        };
        response: {
            days: {
                date: string;
                actives: number;
                newPlayers: number;
                bans: number;
            }[];
        };
    };
    /** List the active keys of an environment, without their values */
    listKeys: {
        request: {
            params: {
                projectId: string;
                env: string;
            };
        };
        response: {
            keys: {
                id: string;
                type: "publishable" | "secret";
                environment: "development" | "production";
                label: string | null;
                last4: string;
                plaintext: string | null;
                createdAt: string;
                createdBy: {
                    type: "agent" | "developer" | "key" | "system";
                    id: string;
                    label: string;
                } | null;
                lastUsedAt: string | null;
            }[];
        };
    };
    /** Create a key; its value is shown only once */
    createKey: {
        request: {
            body: {
                type: "publishable" | "secret";
                label?: string;
            };
            params: {
                projectId: string;
                env: string;
            };
        };
        response: {
            key: {
                id: string;
                type: "publishable" | "secret";
                environment: "development" | "production";
                label: string | null;
                last4: string;
                plaintext: string | null;
                createdAt: string;
                createdBy: {
                    type: "agent" | "developer" | "key" | "system";
                    id: string;
                    label: string;
                } | null;
                lastUsedAt: string | null;
            };
            plaintext: string;
        };
    };
    /** Get an overview of an environment */
    readOverview: {
        request: {
            params: {
                projectId: string;
                env: string;
            };
        };
        response: {
            players: {
                total: number;
                guests: number;
                banned: number;
            };
            dailyActives: {
                date: string;
                count: number;
            }[];
            configVersion: number;
            keys: {
                id: string;
                type: "publishable" | "secret";
                environment: "development" | "production";
                label: string | null;
                last4: string;
                plaintext: string | null;
                createdAt: string;
                createdBy: {
                    type: "agent" | "developer" | "key" | "system";
                    id: string;
                    label: string;
                } | null;
                lastUsedAt: string | null;
            }[];
            online: number;
            openAppeals: number;
            failedMails: number;
            firsts: {
                keyUsedAt: string | null;
                playerAt: string | null;
                deploymentAt: string | null;
                roomAt: string | null;
            };
        };
    };
    /** Get the config document as it was pushed; version 0 and {} before the first push */
    readConfig: {
        request: {} & InEnvironment;
        response: {
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
        };
    };
    /** Push the config document, replacing the previous one */
    pushConfig: {
        request: {
            body: unknown;
            query: {
                dryRun?: boolean;
            };
        } & InEnvironment;
        response: {
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
        } | {
            valid: true;
            changes: {
                path: string;
                before: unknown;
                after: unknown;
            }[];
        };
    };
    /** List all features with their state and what determines it */
    listFeatures: {
        request: {} & InEnvironment;
        response: {
            features: {
                key: string;
                title: string;
                configPath: string | null;
                source: "config" | "default" | "operation" | "operator";
                enabled: boolean;
                problems?: string[];
            }[];
        };
    };
    /** List config versions, newest first */
    listConfigVersions: {
        request: {
            query: {
                limit?: number;
                before?: number;
            };
        } & InEnvironment;
        response: {
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
        };
    };
    /** Get one config version */
    readConfigVersion: {
        request: {
            params: {
                version: number;
            };
        } & InEnvironment;
        response: {
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
        };
    };
    /** Restore an old version as a new version */
    restoreConfigVersion: {
        request: {
            params: {
                version: number;
            };
        } & InEnvironment;
        response: {
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
    };
    /** Test the stored credentials at the provider, with an invented code that it must reject; at most 10 times a minute. The redirect URL cannot be tested in this way */
    testProviderCredentials: {
        request: {
            params: {
                projectId: string;
                env: string;
                provider: string;
            };
        };
        response: {
            ok: boolean;
            problems: {
                code: "credentials_refused" | "not_configured" | "not_enabled" | "provider_unreachable";
                message: string;
            }[];
        };
    };
    /** List the sign-in providers and whether their credentials are stored */
    listProviderCredentials: {
        request: {
            params: {
                projectId: string;
                env: string;
            };
        };
        response: {
            providers: {
                provider: string;
                configured: boolean;
                redirectUri: string;
                secretSet: boolean;
                updatedAt: string | null;
                clientId?: string;
                servicesId?: string;
                bundleId?: string;
                teamId?: string;
                keyId?: string;
                useShared?: true;
                testProvider?: true;
            }[];
        };
    };
    /** Get the stored credentials of a provider, without secrets */
    readProviderCredentials: {
        request: {
            params: {
                projectId: string;
                env: string;
                provider: string;
            };
        };
        response: {
            provider: string;
            configured: boolean;
            redirectUri: string;
            secretSet: boolean;
            updatedAt: string | null;
            clientId?: string;
            servicesId?: string;
            bundleId?: string;
            teamId?: string;
            keyId?: string;
            useShared?: true;
            testProvider?: true;
        };
    };
    /** Store the credentials of a provider: { clientId, clientSecret } (google, discord, x), { servicesId, bundleId?, teamId, keyId, privateKey } (apple), { useShared: true } or { testProvider: true } */
    writeProviderCredentials: {
        request: {
            body: {
                clientId?: string;
                clientSecret?: string;
                servicesId?: string;
                bundleId?: string;
                teamId?: string;
                keyId?: string;
                privateKey?: string;
                useShared?: true;
                testProvider?: true;
            };
            params: {
                projectId: string;
                env: string;
                provider: string;
            };
        };
        response: {
            provider: string;
            configured: boolean;
            redirectUri: string;
            secretSet: boolean;
            updatedAt: string | null;
            clientId?: string;
            servicesId?: string;
            bundleId?: string;
            teamId?: string;
            keyId?: string;
            useShared?: true;
            testProvider?: true;
        };
    };
    /** Delete the stored credentials of a provider */
    deleteProviderCredentials: {
        request: {
            params: {
                projectId: string;
                env: string;
                provider: string;
            };
        };
        response: {
            deleted: true;
        };
    };
    /** List deployments, newest first */
    listDeployments: {
        request: {
            query: {
                limit?: number;
            };
        } & InEnvironment;
        response: {
            deployments: {
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
            }[];
        };
    };
    /** Create a deployment; send its file list and get the hashes of the files to upload */
    createDeployment: {
        request: {
            body: {
                files: {
                    path: string;
                    sha256: string;
                    size: number;
                }[];
                message?: string;
            };
        } & InEnvironment;
        response: {
            deploymentId: string;
            version: number;
            missing: string[];
            missingBytes: number;
        };
    };
    /** Get the live version and its URL */
    readHosting: {
        request: {} & InEnvironment;
        response: {
            live: {
                deploymentId: string;
                version: number;
            } | null;
            urls: string[];
        };
    };
    /** Upload the bytes of a file, at most 50 MB */
    uploadBlob: {
        request: {
            params: {
                sha256: string;
            };
        } & InEnvironment;
        response: {
            sha256: string;
            size: number;
        };
    };
    /** Get a deployment with its files */
    readDeployment: {
        request: {
            params: {
                ref: string;
            };
        } & InEnvironment;
        response: {
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
        };
    };
    /** List which version went live when, newest first; the last 200 are kept */
    listActivations: {
        request: {
            query: {
                limit?: number;
            };
        } & InEnvironment;
        response: {
            activations: {
                version: number;
                at: string;
                by: {
                    type: "agent" | "developer" | "key" | "system";
                    id: string;
                    label: string;
                };
            }[];
        };
    };
    /** Activate a finalized version, including an older one */
    activateDeployment: {
        request: {
            params: {
                ref: string;
            };
        } & InEnvironment;
        response: {
            deploymentId: string;
            version: number;
            status: "finalized" | "uploading";
            live: boolean;
            url: string;
        };
    };
    /** Finalize a deployment when all files are uploaded, and optionally activate it */
    finalizeDeployment: {
        request: {
            body: {
                activate?: boolean;
            };
            params: {
                ref: string;
            };
        } & InEnvironment;
        response: {
            deploymentId: string;
            version: number;
            status: "finalized" | "uploading";
            live: boolean;
            url: string;
        };
    };
    /** Get the state of the functions: version, URL, crons, resources, names of secrets */
    readFunctions: {
        request: {} & InEnvironment;
        response: {
            enabled: boolean;
            suspended: boolean;
            limits: {
                cpuMs: number;
                subRequests: number;
            };
            deployed: boolean;
            version: number | null;
            url: string | null;
            crons: {
                cron: string;
                nextAt: string | null;
                lastAt: string | null;
                lastOutcome: string | null;
            }[];
            durableObjects: {
                name: string;
                className: string;
            }[];
            resources: {
                type: "db" | "durable_object" | "files" | "kv" | "queue";
                id: string;
                bytes: number;
                bound: boolean;
            }[];
            secrets: string[];
        };
    };
    /** Remove the code; with purge also databases, KV, files, queues and durable objects */
    removeFunctions: {
        request: {
            query: {
                purge?: boolean;
            };
        } & InEnvironment;
        response: {
            deleted: true;
            purged: boolean;
        };
    };
    /** List deployed versions of the functions, newest first */
    listFunctionDeployments: {
        request: {
            query: {
                limit?: number;
            };
        } & InEnvironment;
        response: {
            deployments: {
                deploymentId: string;
                version: number;
                live: boolean;
                message: string | null;
                modules: {
                    name: string;
                    type: "cjs" | "data" | "esm" | "json" | "text" | "wasm";
                    size: number;
                }[];
                bindings: {
                    type: "assets" | "db" | "durable_object" | "files" | "kv" | "queue" | "service";
                    name: string;
                    id?: string;
                    queue?: string;
                    consumer?: {
                        maxBatchSize?: number;
                        maxBatchTimeoutSeconds?: number;
                        maxRetries?: number;
                        retryDelaySeconds?: number;
                        deadLetterQueue?: string;
                    };
                    className?: string;
                    entrypoint?: string;
                }[];
                assets?: {
                    count: number;
                    bytes: number;
                };
                crons: string[];
                compatibilityDate: string;
                hasSourceMap: boolean;
                createdAt: string;
            }[];
        };
    };
    /** Deploy code, or an older version again; the version before serves until the new one is ready */
    deployFunctions: {
        request: {
            body: {
                mainModule?: string;
                modules?: {
                    name: string;
                    type: string;
                    content: string;
                }[];
                bindings?: {
                    type: string;
                    name: string;
                    id?: string;
                    queue?: string;
                    queue_name?: string;
                    consumer?: {
                        maxBatchSize?: number;
                        maxBatchTimeoutSeconds?: number;
                        maxRetries?: number;
                        retryDelaySeconds?: number;
                        deadLetterQueue?: string;
                    };
                    className?: string;
                    class_name?: string;
                    entrypoint?: string;
                }[];
                vars?: Record<string, unknown>;
                assets?: {
                    files: {
                        path: string;
                        content: string;
                    }[];
                    notFoundHandling?: "404-page" | "none" | "single-page-application";
                    htmlHandling?: "auto-trailing-slash" | "drop-trailing-slash" | "force-trailing-slash" | "none";
                    runWorkerFirst?: boolean | string[];
                };
                crons?: string[];
                compatibilityDate?: string;
                sourceMap?: string;
                fromVersion?: number;
                fromEnvironment?: "development" | "production";
                message?: string;
            };
        } & InEnvironment;
        response: {
            version: number;
            deploymentId: string;
            url: string;
            createdAt: string;
            warnings: string[];
        };
    };
    /** Disable functions; code and data are kept */
    disableFunctions: {
        request: {} & InEnvironment;
        response: {
            enabled: boolean;
            suspended: boolean;
            limits: {
                cpuMs: number;
                subRequests: number;
            };
            deployed: boolean;
            version: number | null;
            url: string | null;
            crons: {
                cron: string;
                nextAt: string | null;
                lastAt: string | null;
                lastOutcome: string | null;
            }[];
            durableObjects: {
                name: string;
                className: string;
            }[];
            resources: {
                type: "db" | "durable_object" | "files" | "kv" | "queue";
                id: string;
                bytes: number;
                bound: boolean;
            }[];
            secrets: string[];
        };
    };
    /** Enable functions; if they are enabled, only set the limits */
    enableFunctions: {
        request: {
            body: {
                cpuMs?: number;
                subRequests?: number;
            };
        } & InEnvironment;
        response: {
            enabled: boolean;
            suspended: boolean;
            limits: {
                cpuMs: number;
                subRequests: number;
            };
            deployed: boolean;
            version: number | null;
            url: string | null;
            crons: {
                cron: string;
                nextAt: string | null;
                lastAt: string | null;
                lastOutcome: string | null;
            }[];
            durableObjects: {
                name: string;
                className: string;
            }[];
            resources: {
                type: "db" | "durable_object" | "files" | "kv" | "queue";
                id: string;
                bytes: number;
                bound: boolean;
            }[];
            secrets: string[];
        };
    };
    /** Set CPU time per request and outgoing requests per invocation */
    limitFunctions: {
        request: {
            body: {
                cpuMs?: number;
                subRequests?: number;
            };
        } & InEnvironment;
        response: {
            enabled: boolean;
            suspended: boolean;
            limits: {
                cpuMs: number;
                subRequests: number;
            };
            deployed: boolean;
            version: number | null;
            url: string | null;
            crons: {
                cron: string;
                nextAt: string | null;
                lastAt: string | null;
                lastOutcome: string | null;
            }[];
            durableObjects: {
                name: string;
                className: string;
            }[];
            resources: {
                type: "db" | "durable_object" | "files" | "kv" | "queue";
                id: string;
                bytes: number;
                bound: boolean;
            }[];
            secrets: string[];
        };
    };
    /** Read the newest lines of the log, oldest first; with after the lines that follow */
    readFunctionLogs: {
        request: {
            query: {
                after?: string;
                level?: "debug" | "error" | "info" | "log" | "warn";
                q?: string;
                limit?: number;
            };
        } & InEnvironment;
        response: {
            lines: {
                id: string;
                at: string;
                level: "debug" | "error" | "info" | "log" | "warn";
                message: string;
                requestId: string | null;
            }[];
            next: string | null;
        };
    };
    /** List the names of the secrets; values are never returned */
    listFunctionSecrets: {
        request: {} & InEnvironment;
        response: {
            secrets: {
                name: string;
                updatedAt: string;
            }[];
        };
    };
    /** Get requests, errors and CPU time of the functions per minute, oldest first; the last minute is not over, and figures arrive up to a minute late */
    readFunctionSeries: {
        request: {
            query: {
                minutes?: number;
            };
        } & InEnvironment;
        response: {
            minutes: {
                at: string;
                requests: number;
                errors: number;
                cpuMs: number;
            }[];
        };
    };
    /** Run a cron of a development environment now */
    runFunctionCron: {
        request: {
            body: {
                cron: string;
            };
        } & InEnvironment;
        response: {
            outcome: "exceeded_cpu" | "exception" | "killed" | "no_handler" | "ok";
            durationMs: number;
        };
    };
    /** See whether a secret is set; its value is never returned */
    readFunctionSecret: {
        request: {
            params: {
                name: string;
            };
        } & InEnvironment;
        response: {
            name: string;
            updatedAt: string;
        };
    };
    /** Set a secret; running code gets it with its next request */
    writeFunctionSecret: {
        request: {
            body: {
                value: string;
            };
            params: {
                name: string;
            };
        } & InEnvironment;
        response: {
            name: string;
            updatedAt: string;
        };
    };
    /** Delete a secret */
    deleteFunctionSecret: {
        request: {
            params: {
                name: string;
            };
        } & InEnvironment;
        response: {
            deleted: true;
        };
    };
    /** Apply the migrations that are not applied yet, in order; stops at the first failure */
    migrateFunctionDatabase: {
        request: {
            body: {
                migrations: {
                    name: string;
                    sql: string;
                }[];
                table?: string;
            };
            params: {
                binding: string;
            };
        } & InEnvironment;
        response: {
            applied: string[];
            failed: {
                name: string;
                error: string;
            }[];
            skipped: string[];
        };
    };
    /** Run SQL in a database of the functions; several statements are one transaction */
    queryFunctionDatabase: {
        request: {
            body: {
                sql: string;
                params?: unknown[];
            };
            params: {
                binding: string;
            };
        } & InEnvironment;
        response: {
            results: Record<string, unknown>[];
            meta: {
                rowsRead: number;
                rowsWritten: number;
                lastRowId: number;
                durationMs: number;
            };
        };
    };
    /** Read the source map of a deployed version, as it was sent */
    readFunctionSourceMap: {
        request: {
            params: {
                version: number;
            };
        } & InEnvironment;
        response: {
            sourceMap: string;
        };
    };
    /** Get the current connections, rooms, queues and channels; supports ETag */
    readLiveView: {
        request: {} & InEnvironment;
        response: {
            connections: number;
            rooms: {
                id: string;
                code: string;
                mode: string;
                maxPlayers: number;
                metadata: unknown;
                createdAt: string;
                transport: "p2p" | "server";
                private: boolean;
                locked: boolean;
                hostId: string;
                stateBytes: number;
                node: string;
                messagesPerSecond: number;
                players: {
                    id: string;
                    displayName: string | null;
                    connected: boolean;
                }[];
            }[];
            queues: {
                mode: string;
                pool?: string;
                waiting: number;
            }[];
            channels: {
                channel: string;
                members: number;
                voice: {
                    mode: "p2p" | "sfu";
                    relayOnly: boolean;
                } | null;
                call: {
                    members: number;
                    startedAt: string;
                } | null;
                node: string;
                messagesPerSecond: number;
            }[];
        };
    };
    /** Follow the changes of an environment as server-sent events; each `data` is a hint. A comment every 15 seconds shows that the stream is alive; at most 4 per session */
    followEvents: {
        request: {
            params: {
                projectId: string;
                env: string;
            };
        };
        response: {
            topic: string;
            id?: string;
        };
    };
    /** Get your prepaid balance */
    readPrepaid: {
        request: {};
        response: {
            balance: number;
            owed: number;
            invite: {
                granted: number;
                remaining: number;
                pending: boolean;
            } | null;
        };
    };
    /** Get the usage of a month, its cost by component and the amount charged */
    readUsage: {
        request: {
            query: {
                period?: string;
                refresh?: boolean;
            };
        };
        response: {
            period: string;
            components: {
                component: string;
                quantity: number;
                unit: string;
                costMicroUsd: number;
            }[];
            totalMicroUsd: number;
            chargedCents: number;
            days: {
                date: string;
                chargedCents: number;
                components: {
                    component: string;
                    quantity: number;
                    costMicroUsd: number;
                }[];
            }[];
            updatedAt: string | null;
        };
    };
    /** Redeem an invite code; the credit pays usage fees and cannot be refunded */
    redeemInviteCode: {
        request: {
            body: {
                code: string;
            };
        };
        response: {
            credited: number;
            currency: "usd";
            pending: boolean;
        };
    };
    /** Start a payment on a hosted page; the balance grows when the payment provider confirms it */
    createCheckout: {
        request: {
            body: {
                amount: number;
                successUrl: string;
                cancelUrl: string;
            };
        };
        response: {
            id: string;
            url: string;
            status: "cancelled" | "expired" | "open" | "paid";
            amount: number;
            currency: "usd";
            expiresAt: string;
        };
    };
    /** List the changes of your balance, newest first; the sum of all amounts is the balance */
    listLedger: {
        request: {
            query: {
                limit?: number;
                cursor?: string;
            };
        };
        response: {
            entries: {
                id: string;
                at: string;
                type: "adjustment" | "invite" | "refund" | "topup" | "usage";
                amount: number;
                balanceAfter: number;
                description: string;
            }[];
            nextCursor: string | null;
        };
    };
    /** Receive an event of Stripe, signed with STRIPE_WEBHOOK_SECRET */
    receiveStripeEvent: {
        request: {};
        response: {
            received: true;
        };
    };
    /** Get the state of a payment */
    readCheckout: {
        request: {
            params: {
                id: string;
            };
        };
        response: {
            id: string;
            url: string;
            status: "cancelled" | "expired" | "open" | "paid";
            amount: number;
            currency: "usd";
            expiresAt: string;
        };
    };
    /** List what operators have changed, newest first: invitations, operators, backups */
    listOperatorAudit: {
        request: {
            query: {
                limit?: number;
                before?: string;
            };
        };
        response: {
            entries: {
                id: string;
                at: string;
                env: "development" | "production" | null;
                actor: {
                    type: "agent" | "developer" | "key" | "system";
                    id: string;
                    label: string;
                };
                action: string;
                target: string | null;
                details: Record<string, unknown>;
            }[];
            nextBefore: string | null;
        };
    };
    /** List the backups that were created here, newest first */
    listBackups: {
        request: {};
        response: {
            available: boolean;
            backups: {
                name: string;
                status: "done" | "failed" | "running";
                createdAt: string;
                bytes: number | null;
                error: string | null;
            }[];
        };
    };
    /** Begin a backup of the data folder, like svc-server backup; the newest 10 are kept. It contains secrets */
    createBackup: {
        request: {};
        response: {
            backup: {
                name: string;
                status: "done" | "failed" | "running";
                createdAt: string;
                bytes: number | null;
                error: string | null;
            };
        };
    };
    /** List developer accounts and, with the first page, open invitations, oldest first */
    listDevelopers: {
        request: {
            query: {
                limit?: number;
                cursor?: string;
            };
        };
        response: {
            developers: {
                id: string;
                email: string;
                name: string | null;
                emailVerified: boolean;
                isOperator: boolean;
                createdAt: string;
            }[];
            invitations: {
                email: string;
                expiresAt: string;
            }[];
            nextCursor: string | null;
        };
    };
    /** Create a one-time link for a new developer account; an earlier one for this address stops working */
    inviteDeveloper: {
        request: {
            body: {
                email: string;
            };
        };
        response: {
            invitation: {
                email: string;
                expiresAt: string;
            };
            link: string;
            mailed: boolean;
        };
    };
    /** Get the state of all nodes and engines, the queues and the storage */
    readSystem: {
        request: {};
        response: {
            now: string;
            nodes: {
                cpu: number;
                memoryBytes: number;
                connections: number;
                requests: number;
                failed: number;
                p95Ms: number | null;
                id: string;
                version: string;
                startedAt: string;
                heapBytes: number;
                eventLoopP99Ms: number;
            }[];
            engines: {
                name: string;
                kind: string;
                ok: boolean;
            }[];
            mail: {
                pending: number;
                failed: number;
            };
            jobs: {
                name: string;
                slotAt: string;
                done: boolean;
                attempts: number;
                lastError: string | null;
            }[];
            storage: {
                databaseBytes: number | null;
                freeBytes: number;
            };
        };
    };
    /** Check one engine now: it performs a write, or for mail signs in to the mail server */
    checkEngine: {
        request: {
            params: {
                engine: string;
            };
        };
        response: {
            engine: string;
            ok: boolean;
            ms: number;
            error: string | null;
        };
    };
    /** Revoke the invitation of an address */
    revokeInvitation: {
        request: {
            params: {
                email: string;
            };
        };
        response: {
            deleted: true;
        };
    };
    /** Get figures of all nodes per minute, oldest first, as far as they are kept in memory */
    readSystemSeries: {
        request: {
            query: {
                minutes?: number;
            };
        };
        response: {
            nodes: {
                id: string;
                minutes: {
                    cpu: number;
                    memoryBytes: number;
                    connections: number;
                    requests: number;
                    failed: number;
                    p95Ms: number | null;
                    at: string;
                }[];
            }[];
        };
    };
    /** List audit log entries, newest first; a page of a filtered list may be short or empty and still have a nextBefore */
    listAudit: {
        request: {
            params: {
                projectId: string;
            };
            query: {
                limit?: number;
                before?: string;
                env?: string;
                action?: string;
                actor?: string;
                target?: string;
                from?: string;
                to?: string;
            };
        };
        response: {
            entries: {
                id: string;
                at: string;
                env: "development" | "production" | null;
                actor: {
                    type: "agent" | "developer" | "key" | "system";
                    id: string;
                    label: string;
                };
                action: string;
                target: string | null;
                details: Record<string, unknown>;
            }[];
            nextBefore: string | null;
        };
    };
    /** List the last requests with a key of this environment, newest first; each node keeps its last 10000 requests in memory */
    listRequests: {
        request: {
            params: {
                projectId: string;
                env: string;
            };
            query: {
                status?: string;
                route?: string;
                keyId?: string;
                playerId?: string;
                cursor?: string;
                limit?: number;
            };
        };
        response: {
            requests: {
                id: string;
                at: string;
                method: string;
                route: string;
                status: number;
                code: string | null;
                ms: number;
                keyId: string;
                playerId: string | null;
            }[];
            nextCursor: string | null;
        };
    };
    /** Get one of the last requests by its X-Request-Id */
    readRequest: {
        request: {
            params: {
                projectId: string;
                env: string;
                requestId: string;
            };
        };
        response: {
            request: {
                id: string;
                at: string;
                method: string;
                route: string;
                status: number;
                code: string | null;
                ms: number;
                keyId: string;
                playerId: string | null;
            };
        };
    };
    /** Get figures of the last requests per minute, oldest first, as far as they are kept */
    readRequestSeries: {
        request: {
            params: {
                projectId: string;
                env: string;
            };
            query: {
                minutes?: number;
            };
        };
        response: {
            since: string | null;
            minutes: {
                at: string;
                requests: number;
                refused: number;
                failed: number;
                p50Ms: number | null;
                p95Ms: number | null;
            }[];
        };
    };
    /** List emails of an environment, newest first; sent ones are kept for 7 days, others for 30; without a mail server, development also shows the emails to you */
    listMails: {
        request: {
            params: {
                projectId: string;
                env: string;
            };
            query: {
                status?: "captured" | "failed" | "pending" | "sent";
                cursor?: string;
                limit?: number;
            };
        };
        response: {
            mails: {
                id: string;
                to: string;
                subject: string;
                status: "captured" | "failed" | "pending" | "sent";
                attempts: number;
                lastError: string | null;
                createdAt: string;
                sentAt: string | null;
                text: string | null;
                html: string | null;
            }[];
            nextCursor: string | null;
        };
    };
    /** Delete the emails of an environment, except those that are waiting to be sent */
    deleteMails: {
        request: {
            params: {
                projectId: string;
                env: string;
            };
        };
        response: {
            deleted: number;
        };
    };
    /** Check that the process is running */
    readHealth: {
        request: {};
        response: {
            status: "ok";
        };
    };
    /** Check readiness: every engine performs a write, at most once a second; 503 if one fails or the process is stopping */
    readReadiness: {
        request: {};
        response: {
            status: "ok";
            checks: Record<string, "ok">;
            functionsSandbox: "bubblewrap" | "none" | "plain" | "uid";
            functionsAccount: "none" | "own" | "service";
        };
    };
    /** Get information about this service, for the sign-in page */
    readPlatformInfo: {
        request: {};
        response: {
            oauthProviders: string[];
            version: string;
            hostingDomain: string;
            signUp: "closed" | "first" | "open";
            setup: boolean;
            mail: "kept" | "sent";
            billing: "off" | "stripe" | "test";
            features: Record<string, boolean>;
            now: string;
        };
    };
};

/** What a secret key may call: request and response by name. */
export type SecretKeyCalls = {
    /** List players of the environment, newest first; with q the player with that id or email, or all whose name begins with q, sorted by name; a page of a filtered list may be short or empty and still have a nextCursor. A player who is seen or renamed between two pages moves in the orders lastSeen and name; newest delivers everybody once */
    searchPlayers: {
        request: {
            query: {
                q?: string;
                cursor?: string;
                banned?: boolean;
                guest?: boolean;
                online?: boolean;
                sort?: "lastSeen" | "name" | "newest";
                limit?: number;
            };
        };
        response: {
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
        };
    };
    /** Get a player; includes identities, age, sanctions and stored feature data */
    readPlayerDetail: {
        request: {
            params: {
                playerId: string;
            };
        };
        response: {
            player: {
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
            };
        };
    };
    /** Permanently delete a player and all its data */
    deletePlayer: {
        request: {
            params: {
                playerId: string;
            };
        };
        response: {
            deleted: true;
        };
    };
    /** The same as POST */
    deletePlayerByDelete: {
        request: {
            params: {
                playerId: string;
            };
        };
        response: {
            deleted: true;
        };
    };
    /** Export all data stored about a player */
    exportPlayer: {
        request: {
            params: {
                playerId: string;
            };
        };
        response: {
            [x: string]: unknown;
        };
    };
    /** The same as GET */
    exportPlayerByPost: {
        request: {
            params: {
                playerId: string;
            };
        };
        response: {
            [x: string]: unknown;
        };
    };
    /** End all sessions of a player and close its connections; a guest without a sign-in method cannot sign in again */
    signOutPlayer: {
        request: {
            params: {
                playerId: string;
            };
        };
        response: {
            revokedSessions: number;
        };
    };
    /** Get the stats of a player by period, also while the feature is off */
    readPlayerStats: {
        request: {
            params: {
                playerId: string;
            };
        };
        response: {
            stats: {
                allTime: number;
                daily: number;
                weekly: number;
                monthly: number;
                key: string;
                aggregation: string;
                updatedAt: string;
            }[];
        };
    };
    /** Read a save of a player, also while the feature is off */
    readPlayerSave: {
        request: {
            params: {
                playerId: string;
                key: string;
            };
        };
        response: {
            key: string;
            version: number;
            size: number;
            updatedAt: string;
            data: unknown;
        };
    };
    /** Write a save of a player, also while the feature is off; with ifVersion, only if that is the current version; written to the audit log */
    writePlayerSave: {
        request: {
            body: {
                data: unknown;
                ifVersion?: number | null;
            };
            params: {
                playerId: string;
                key: string;
            };
        };
        response: {
            key: string;
            version: number;
            size: number;
            updatedAt: string;
        };
    };
    /** Delete a save of a player, also while the feature is off; with ifVersion, only if that is the current version; written to the audit log */
    deletePlayerSave: {
        request: {
            params: {
                playerId: string;
                key: string;
            };
            query: {
                ifVersion?: number;
            };
        };
        response: {
            deleted: true;
        };
    };
    /** Verify a player’s access token; tokens of banned players are still valid, so check `banned` */
    verifyToken: {
        request: {
            body: {
                token: string;
            };
        };
        response: {
            player: {
                id: string;
                displayName: string;
                banned: boolean;
            };
        };
    };
    /** List the appeals of the environment, newest first */
    listAppeals: {
        request: {
            query: {
                status?: "accepted" | "open" | "rejected";
                cursor?: string;
                limit?: number;
            };
        };
        response: {
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
        };
    };
    /** Resolve an appeal; accepting it lifts the ban */
    resolveAppeal: {
        request: {
            body: {
                accept: boolean;
                response?: string;
            };
            params: {
                appealId: string;
            };
        };
        response: {
            appeal: {
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
            };
        };
    };
    /** Correct the age group of a player, in either direction */
    correctAge: {
        request: {
            body: {
                band: "adult" | "child" | "teen";
            };
            params: {
                playerId: string;
            };
        };
        response: {
            ageBand: "adult" | "child" | "teen";
            declaredAgeBand: "adult" | "child" | "teen" | null;
            capabilities: {
                directPeer: boolean;
                voice: boolean;
                publicXProfile: boolean;
                newsOptIn: boolean;
            };
        };
    };
    /** Ban a player; immediately ends sessions, closes connections, and rejects sign-ins and writes */
    banPlayer: {
        request: {
            body: {
                reason?: string;
                durationHours?: number;
            };
            params: {
                playerId: string;
            };
        };
        response: {
            player: {
                id: string;
                banned: boolean;
                bannedAt: string | null;
                banReason: string | null;
                revokedSessions: number;
                banExpiresAt: string | null;
            };
        };
    };
    /** Unban a player */
    unbanPlayer: {
        request: {
            body: object;
            params: {
                playerId: string;
            };
        };
        response: {
            player: {
                id: string;
                banned: boolean;
                bannedAt: string | null;
                banReason: string | null;
                revokedSessions: number;
                banExpiresAt: string | null;
            };
        };
    };
    /** List rejected values of all players, newest first */
    listSignals: {
        request: {
            query: {
                reason?: "above_max" | "above_max_per_submit" | "below_min" | "invalid_value" | "server_only" | "unknown_stat" | "verification_rejected" | "verification_unavailable";
                cursor?: string;
                limit?: number;
            };
        };
        response: {
            signals: {
                id: string;
                at: string;
                key: string;
                value: unknown;
                reason: "above_max" | "above_max_per_submit" | "below_min" | "invalid_value" | "server_only" | "unknown_stat" | "verification_rejected" | "verification_unavailable";
                player: {
                    id: string;
                    displayName: string;
                };
            }[];
            nextCursor: string | null;
        };
    };
    /** List the last 100 webhook deliveries, newest first */
    listWebhookDeliveries: {
        request: {
            query: {
                limit?: number;
            };
        };
        response: {
            deliveries: {
                id: string;
                at: string;
                kind: "replay" | "stats.verify" | "test";
                url: string;
                status: number | null;
                durationMs: number;
                outcome: "answered" | "failed";
                error: string | null;
                answer: string | null;
            }[];
        };
    };
    /** Get the signing secret of the stats verification webhook */
    readWebhookSecret: {
        request: {};
        response: {
            secret: string;
        };
    };
    /** Send a test delivery to the configured webhook; no player data is stored */
    testWebhook: {
        request: {};
        response: {
            delivery: {
                id: string;
                at: string;
                kind: "replay" | "stats.verify" | "test";
                url: string;
                status: number | null;
                durationMs: number;
                outcome: "answered" | "failed";
                error: string | null;
                answer: string | null;
            };
        };
    };
    /** Send an earlier delivery again to the configured webhook; the answer changes no stats */
    replayWebhookDelivery: {
        request: {
            params: {
                id: string;
            };
        };
        response: {
            delivery: {
                id: string;
                at: string;
                kind: "replay" | "stats.verify" | "test";
                url: string;
                status: number | null;
                durationMs: number;
                outcome: "answered" | "failed";
                error: string | null;
                answer: string | null;
            };
        };
    };
    /** Report values of a player as your server, at most 64 stats at once; the rules of the config apply, without the webhook and without a limit per minute */
    submitPlayerStats: {
        request: {
            body: {
                stats: Record<string, unknown>;
            };
            params: {
                playerId: string;
            };
        };
        response: {
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
    };
    /** List the leaderboards of the config, with the number of entries */
    listLeaderboards: {
        request: {};
        response: {
            leaderboards: {
                key: string;
                order: "asc" | "desc";
                verifiedOnly: boolean;
                periods: {
                    period: "allTime" | "daily" | "monthly" | "weekly";
                    label: string | null;
                    count: number;
                }[];
            }[];
        };
    };
    /** Read a leaderboard with all ids and names, and the players who are not shown */
    readLeaderboardAsAdmin: {
        request: {
            params: {
                key: string;
            };
            query: {
                period?: "allTime" | "daily" | "monthly" | "weekly";
                at?: string;
                cursor?: string;
                limit?: number;
            };
        };
        response: {
            key: string;
            period: "allTime" | "daily" | "monthly" | "weekly";
            label: string | null;
            order: "asc" | "desc";
            startsAt: string | null;
            endsAt: string | null;
            count: number;
            entries: {
                rank: number | null;
                playerId: string;
                displayName: string | null;
                value: number;
                reachedAt: string;
                hidden: boolean;
                banned: boolean;
                optedOut: boolean;
            }[];
            notShown: {
                rank: number | null;
                playerId: string;
                displayName: string | null;
                value: number;
                reachedAt: string;
                hidden: boolean;
                banned: boolean;
                optedOut: boolean;
            }[];
            nextCursor: string | null;
        };
    };
    /** List the last 100 closed periods, newest first */
    listLeaderboardPeriodsAsAdmin: {
        request: {
            params: {
                key: string;
            };
        };
        response: {
            periods: {
                period: "allTime" | "daily" | "monthly" | "weekly";
                label: string;
                startsAt: string;
                endsAt: string;
                count: number;
            }[];
        };
    };
    /** Empty a leaderboard and delete the values of its stat, for all players; closed periods stay */
    resetLeaderboard: {
        request: {
            params: {
                key: string;
            };
        };
        response: object;
    };
    /** Hide a player on a leaderboard immediately, or show the player again */
    hideLeaderboardEntry: {
        request: {
            body: {
                hidden: boolean;
            };
            params: {
                key: string;
                playerId: string;
            };
        };
        response: {
            playerId: string;
            hidden: boolean;
        };
    };
    /** Remove a player from a leaderboard and its closed periods, and delete the values of the stat */
    removeLeaderboardEntry: {
        request: {
            params: {
                key: string;
                playerId: string;
            };
        };
        response: {
            deleted: true;
        };
    };
    /** Create a tracked link, to count the visits of one post or page; at most 1,000 per environment */
    createTrackedLink: {
        request: {
            body: {
                label: string;
            };
        };
        response: {
            link: {
                id: string;
                kind: "challenge" | "plain" | "score" | "tracked";
                score: number | null;
                displayName: string | null;
                createdAt: string;
                label: string;
            };
            url: string | null;
            query: string;
        };
    };
    /** Visits, new players and plays per share link, by UTC days; by default the last 30, at most 366 */
    readShareStats: {
        request: {
            query: {
                from?: string;
                to?: string;
                shareId?: string;
                limit?: number;
            };
        };
        response: {
            from: string;
            to: string;
            totals: {
                visits: number;
                newPlayers: number;
                plays: number;
            };
            days: {
                visits: number;
                newPlayers: number;
                plays: number;
                date: string;
            }[];
            links: {
                visits: number;
                newPlayers: number;
                plays: number;
                shareId: string;
                label: string | null;
                kind: "challenge" | "plain" | "score" | "tracked" | null;
            }[];
        };
    };
    /** Get the card tags, as a developer or server */
    readShareTagsAsAdmin: {
        request: {
            query: {
                ks?: string;
            };
        };
        response: {
            html: string;
            tags: {
                property?: string;
                name?: string;
                content: string;
            }[];
            image: string;
            defaultImage: string;
            shareImageTemplate: string | null;
        };
    };
    /** Get a channel; includes its settings, lists and members */
    readChannel: {
        request: {
            params: {
                name: string;
            };
        };
        response: {
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
        };
    };
    /** Create or update a persistent channel; omitted fields keep their values */
    writeChannel: {
        request: {
            body: {
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
            };
            params: {
                name: string;
            };
        };
        response: {
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
        };
    };
    /** Delete a channel and notify its members */
    deleteChannel: {
        request: {
            params: {
                name: string;
            };
        };
        response: {
            deleted: true;
        };
    };
    /** Send a message as the server, regardless of the send rule; at most 600 per minute per key */
    sendToChannel: {
        request: {
            body: {
                type: string;
                data?: unknown;
            };
            params: {
                name: string;
            };
        };
        response: {
            delivered: number;
        };
    };
    /** Moderate a player; invite, mute, remove and more */
    moderateChannel: {
        request: {
            body: {
                op: "allowSend" | "ban" | "disallowSend" | "invite" | "kick" | "mute" | "unban" | "uninvite" | "unmute";
                playerId: string;
                seconds?: number;
            };
            params: {
                name: string;
            };
        };
        response: object;
    };
    /** Get the config document as it was pushed; version 0 and {} before the first push */
    readConfig: {
        request: {};
        response: {
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
        };
    };
    /** Push the config document, replacing the previous one */
    pushConfig: {
        request: {
            body: unknown;
            query: {
                dryRun?: boolean;
            };
        };
        response: {
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
        } | {
            valid: true;
            changes: {
                path: string;
                before: unknown;
                after: unknown;
            }[];
        };
    };
    /** List all features with their state and what determines it */
    listFeatures: {
        request: {};
        response: {
            features: {
                key: string;
                title: string;
                configPath: string | null;
                source: "config" | "default" | "operation" | "operator";
                enabled: boolean;
                problems?: string[];
            }[];
        };
    };
    /** List config versions, newest first */
    listConfigVersions: {
        request: {
            query: {
                limit?: number;
                before?: number;
            };
        };
        response: {
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
        };
    };
    /** Get one config version */
    readConfigVersion: {
        request: {
            params: {
                version: number;
            };
        };
        response: {
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
        };
    };
    /** Restore an old version as a new version */
    restoreConfigVersion: {
        request: {
            params: {
                version: number;
            };
        };
        response: {
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
    };
    /** List deployments, newest first */
    listDeployments: {
        request: {
            query: {
                limit?: number;
            };
        };
        response: {
            deployments: {
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
            }[];
        };
    };
    /** Create a deployment; send its file list and get the hashes of the files to upload */
    createDeployment: {
        request: {
            body: {
                files: {
                    path: string;
                    sha256: string;
                    size: number;
                }[];
                message?: string;
            };
        };
        response: {
            deploymentId: string;
            version: number;
            missing: string[];
            missingBytes: number;
        };
    };
    /** Get the live version and its URL */
    readHosting: {
        request: {};
        response: {
            live: {
                deploymentId: string;
                version: number;
            } | null;
            urls: string[];
        };
    };
    /** Upload the bytes of a file, at most 50 MB */
    uploadBlob: {
        request: {
            params: {
                sha256: string;
            };
        };
        response: {
            sha256: string;
            size: number;
        };
    };
    /** Get a deployment with its files */
    readDeployment: {
        request: {
            params: {
                ref: string;
            };
        };
        response: {
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
        };
    };
    /** List which version went live when, newest first; the last 200 are kept */
    listActivations: {
        request: {
            query: {
                limit?: number;
            };
        };
        response: {
            activations: {
                version: number;
                at: string;
                by: {
                    type: "agent" | "developer" | "key" | "system";
                    id: string;
                    label: string;
                };
            }[];
        };
    };
    /** Activate a finalized version, including an older one */
    activateDeployment: {
        request: {
            params: {
                ref: string;
            };
        };
        response: {
            deploymentId: string;
            version: number;
            status: "finalized" | "uploading";
            live: boolean;
            url: string;
        };
    };
    /** Finalize a deployment when all files are uploaded, and optionally activate it */
    finalizeDeployment: {
        request: {
            body: {
                activate?: boolean;
            };
            params: {
                ref: string;
            };
        };
        response: {
            deploymentId: string;
            version: number;
            status: "finalized" | "uploading";
            live: boolean;
            url: string;
        };
    };
    /** Get the state of the functions: version, URL, crons, resources, names of secrets */
    readFunctions: {
        request: {};
        response: {
            enabled: boolean;
            suspended: boolean;
            limits: {
                cpuMs: number;
                subRequests: number;
            };
            deployed: boolean;
            version: number | null;
            url: string | null;
            crons: {
                cron: string;
                nextAt: string | null;
                lastAt: string | null;
                lastOutcome: string | null;
            }[];
            durableObjects: {
                name: string;
                className: string;
            }[];
            resources: {
                type: "db" | "durable_object" | "files" | "kv" | "queue";
                id: string;
                bytes: number;
                bound: boolean;
            }[];
            secrets: string[];
        };
    };
    /** Remove the code; with purge also databases, KV, files, queues and durable objects */
    removeFunctions: {
        request: {
            query: {
                purge?: boolean;
            };
        };
        response: {
            deleted: true;
            purged: boolean;
        };
    };
    /** List deployed versions of the functions, newest first */
    listFunctionDeployments: {
        request: {
            query: {
                limit?: number;
            };
        };
        response: {
            deployments: {
                deploymentId: string;
                version: number;
                live: boolean;
                message: string | null;
                modules: {
                    name: string;
                    type: "cjs" | "data" | "esm" | "json" | "text" | "wasm";
                    size: number;
                }[];
                bindings: {
                    type: "assets" | "db" | "durable_object" | "files" | "kv" | "queue" | "service";
                    name: string;
                    id?: string;
                    queue?: string;
                    consumer?: {
                        maxBatchSize?: number;
                        maxBatchTimeoutSeconds?: number;
                        maxRetries?: number;
                        retryDelaySeconds?: number;
                        deadLetterQueue?: string;
                    };
                    className?: string;
                    entrypoint?: string;
                }[];
                assets?: {
                    count: number;
                    bytes: number;
                };
                crons: string[];
                compatibilityDate: string;
                hasSourceMap: boolean;
                createdAt: string;
            }[];
        };
    };
    /** Deploy code, or an older version again; the version before serves until the new one is ready */
    deployFunctions: {
        request: {
            body: {
                mainModule?: string;
                modules?: {
                    name: string;
                    type: string;
                    content: string;
                }[];
                bindings?: {
                    type: string;
                    name: string;
                    id?: string;
                    queue?: string;
                    queue_name?: string;
                    consumer?: {
                        maxBatchSize?: number;
                        maxBatchTimeoutSeconds?: number;
                        maxRetries?: number;
                        retryDelaySeconds?: number;
                        deadLetterQueue?: string;
                    };
                    className?: string;
                    class_name?: string;
                    entrypoint?: string;
                }[];
                vars?: Record<string, unknown>;
                assets?: {
                    files: {
                        path: string;
                        content: string;
                    }[];
                    notFoundHandling?: "404-page" | "none" | "single-page-application";
                    htmlHandling?: "auto-trailing-slash" | "drop-trailing-slash" | "force-trailing-slash" | "none";
                    runWorkerFirst?: boolean | string[];
                };
                crons?: string[];
                compatibilityDate?: string;
                sourceMap?: string;
                fromVersion?: number;
                fromEnvironment?: "development" | "production";
                message?: string;
            };
        };
        response: {
            version: number;
            deploymentId: string;
            url: string;
            createdAt: string;
            warnings: string[];
        };
    };
    /** Disable functions; code and data are kept */
    disableFunctions: {
        request: {};
        response: {
            enabled: boolean;
            suspended: boolean;
            limits: {
                cpuMs: number;
                subRequests: number;
            };
            deployed: boolean;
            version: number | null;
            url: string | null;
            crons: {
                cron: string;
                nextAt: string | null;
                lastAt: string | null;
                lastOutcome: string | null;
            }[];
            durableObjects: {
                name: string;
                className: string;
            }[];
            resources: {
                type: "db" | "durable_object" | "files" | "kv" | "queue";
                id: string;
                bytes: number;
                bound: boolean;
            }[];
            secrets: string[];
        };
    };
    /** Enable functions; if they are enabled, only set the limits */
    enableFunctions: {
        request: {
            body: {
                cpuMs?: number;
                subRequests?: number;
            };
        };
        response: {
            enabled: boolean;
            suspended: boolean;
            limits: {
                cpuMs: number;
                subRequests: number;
            };
            deployed: boolean;
            version: number | null;
            url: string | null;
            crons: {
                cron: string;
                nextAt: string | null;
                lastAt: string | null;
                lastOutcome: string | null;
            }[];
            durableObjects: {
                name: string;
                className: string;
            }[];
            resources: {
                type: "db" | "durable_object" | "files" | "kv" | "queue";
                id: string;
                bytes: number;
                bound: boolean;
            }[];
            secrets: string[];
        };
    };
    /** Set CPU time per request and outgoing requests per invocation */
    limitFunctions: {
        request: {
            body: {
                cpuMs?: number;
                subRequests?: number;
            };
        };
        response: {
            enabled: boolean;
            suspended: boolean;
            limits: {
                cpuMs: number;
                subRequests: number;
            };
            deployed: boolean;
            version: number | null;
            url: string | null;
            crons: {
                cron: string;
                nextAt: string | null;
                lastAt: string | null;
                lastOutcome: string | null;
            }[];
            durableObjects: {
                name: string;
                className: string;
            }[];
            resources: {
                type: "db" | "durable_object" | "files" | "kv" | "queue";
                id: string;
                bytes: number;
                bound: boolean;
            }[];
            secrets: string[];
        };
    };
    /** Read the newest lines of the log, oldest first; with after the lines that follow */
    readFunctionLogs: {
        request: {
            query: {
                after?: string;
                level?: "debug" | "error" | "info" | "log" | "warn";
                q?: string;
                limit?: number;
            };
        };
        response: {
            lines: {
                id: string;
                at: string;
                level: "debug" | "error" | "info" | "log" | "warn";
                message: string;
                requestId: string | null;
            }[];
            next: string | null;
        };
    };
    /** List the names of the secrets; values are never returned */
    listFunctionSecrets: {
        request: {};
        response: {
            secrets: {
                name: string;
                updatedAt: string;
            }[];
        };
    };
    /** Get requests, errors and CPU time of the functions per minute, oldest first; the last minute is not over, and figures arrive up to a minute late */
    readFunctionSeries: {
        request: {
            query: {
                minutes?: number;
            };
        };
        response: {
            minutes: {
                at: string;
                requests: number;
                errors: number;
                cpuMs: number;
            }[];
        };
    };
    /** Run a cron of a development environment now */
    runFunctionCron: {
        request: {
            body: {
                cron: string;
            };
        };
        response: {
            outcome: "exceeded_cpu" | "exception" | "killed" | "no_handler" | "ok";
            durationMs: number;
        };
    };
    /** See whether a secret is set; its value is never returned */
    readFunctionSecret: {
        request: {
            params: {
                name: string;
            };
        };
        response: {
            name: string;
            updatedAt: string;
        };
    };
    /** Set a secret; running code gets it with its next request */
    writeFunctionSecret: {
        request: {
            body: {
                value: string;
            };
            params: {
                name: string;
            };
        };
        response: {
            name: string;
            updatedAt: string;
        };
    };
    /** Delete a secret */
    deleteFunctionSecret: {
        request: {
            params: {
                name: string;
            };
        };
        response: {
            deleted: true;
        };
    };
    /** Apply the migrations that are not applied yet, in order; stops at the first failure */
    migrateFunctionDatabase: {
        request: {
            body: {
                migrations: {
                    name: string;
                    sql: string;
                }[];
                table?: string;
            };
            params: {
                binding: string;
            };
        };
        response: {
            applied: string[];
            failed: {
                name: string;
                error: string;
            }[];
            skipped: string[];
        };
    };
    /** Run SQL in a database of the functions; several statements are one transaction */
    queryFunctionDatabase: {
        request: {
            body: {
                sql: string;
                params?: unknown[];
            };
            params: {
                binding: string;
            };
        };
        response: {
            results: Record<string, unknown>[];
            meta: {
                rowsRead: number;
                rowsWritten: number;
                lastRowId: number;
                durationMs: number;
            };
        };
    };
    /** Read the source map of a deployed version, as it was sent */
    readFunctionSourceMap: {
        request: {
            params: {
                version: number;
            };
        };
        response: {
            sourceMap: string;
        };
    };
    /** Get the current connections, rooms, queues and channels; supports ETag */
    readLiveView: {
        request: {};
        response: {
            connections: number;
            rooms: {
                id: string;
                code: string;
                mode: string;
                maxPlayers: number;
                metadata: unknown;
                createdAt: string;
                transport: "p2p" | "server";
                private: boolean;
                locked: boolean;
                hostId: string;
                stateBytes: number;
                node: string;
                messagesPerSecond: number;
                players: {
                    id: string;
                    displayName: string | null;
                    connected: boolean;
                }[];
            }[];
            queues: {
                mode: string;
                pool?: string;
                waiting: number;
            }[];
            channels: {
                channel: string;
                members: number;
                voice: {
                    mode: "p2p" | "sfu";
                    relayOnly: boolean;
                } | null;
                call: {
                    members: number;
                    startedAt: string;
                } | null;
                node: string;
                messagesPerSecond: number;
            }[];
        };
    };
    /** List emails of a development environment, newest first; empty in production */
    readOutbox: {
        request: {
            query: {
                limit?: number;
            };
        };
        response: {
            mails: {
                id: string;
                to: string;
                subject: string;
                text: string;
                html: string;
                status: "captured" | "failed" | "pending" | "sent";
                attempts: number;
                lastError: string | null;
                createdAt: string;
                sentAt: string | null;
            }[];
        };
    };
    /** Advance the clock of a test service (SVC_TEST_CLOCK=on); development keys only */
    moveClock: {
        request: {
            body: {
                advanceMs: number;
            };
        };
        response: {
            now: string;
        };
    };
};

/** Which environment a developer's call is about; a secret key implies it. */
export type InEnvironment = {
    params: {
        projectId: string;
        env: EnvironmentName;
    };
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

/** What happens on a stream of events. */
export type EventHandlers = {
    /** The stream is open: what changes from now on is reported. */
    onOpen?(): void;
    /** Something has changed; read it again to see it. */
    onHint(hint: EventHint): void;
};

/** A call that has failed: whether it is safe to send it again, and how often it was repeated already. */
export type FailedCall = {
    route: string;
    mayRepeat: boolean;
    retries: number;
};

/** Returns how many milliseconds to wait before the call is repeated, or undefined if its error goes to the caller. */
export type RetryPolicy = (error: SvcError, failed: FailedCall) => number | undefined;

/** The options of both clients of this entry. */
export type ClientOptions = {
    /** The URL of the service. */
    url: string;
    /** Default timeout of a call (default: 15,000). */
    timeoutMs?: number;
    /** Decides which failed calls are repeated (default: two short retries of calls that are safe to repeat). */
    retry?: RetryPolicy;
    /** Used instead of the global `fetch`. */
    fetch?: Fetch;
};

/** The options of `createDeveloperClient`. */
export type DeveloperOptions = ClientOptions & {
    /** Returns the current session token (kds_…), or undefined if no developer is signed in. Called before every request. */
    token(): string | undefined;
    /**
     * Called when the service rejects the token with `unauthorized`. Resolve with true once `token()` returns a new one: the call
     * is then repeated once.
     */
    renewToken?(): Promise<boolean>;
};

/** The options of `createSecretKeyClient`. */
export type SecretKeyOptions = ClientOptions & {
    /** The secret key (sk_…) of one environment. */
    secretKey: string;
};

/** The options of a single call. */
export type RequestOptions = Pick<CallOptions, 'idempotencyKey' | 'bytes' | 'json' | 'parse'> & {
    /** Ends the call with the error code `aborted`. */
    signal?: AbortSignal;
    timeoutMs?: number;
};

/** A client that calls as a developer, see `createDeveloperClient`. */
export type DeveloperClient = {
    /** Calls the endpoint of this name; `docs/endpoints.md` lists their requests and refusals. */
    call: <Name extends keyof DeveloperCalls>(name: Name, request: DeveloperCalls[Name]['request'], requestOptions?: RequestOptions) => Promise<DeveloperCalls[Name]['response']>;
    /**
     * Reports what changes in an environment until the stream ends, which it does when the service restarts or the session has ended.
     * It is not opened again by itself.
     *
     * @example
     * await developer.followEvents({ projectId, env: 'production' }, { onHint: ({ topic }) => reload(topic) }, signal)
     */
    followEvents: (params: DeveloperCalls['followEvents']['request']['params'], handlers: EventHandlers, signal: AbortSignal) => Promise<void>;
};

/** A client that calls with a secret key, see `createSecretKeyClient`. */
export type SecretKeyClient = {
    /** Calls the endpoint of this name; `docs/endpoints.md` lists their requests and refusals. */
    call: <Name extends keyof SecretKeyCalls>(name: Name, request: SecretKeyCalls[Name]['request'], requestOptions?: RequestOptions) => Promise<SecretKeyCalls[Name]['response']>;
};

/**
 * Calls the service as a developer, in browsers and in Node: projects, keys, config, players, deployments. Sign-in calls need no
 * token. Every call rejects with `SvcError`.
 *
 * @example
 * const developer = createDeveloperClient({ url: location.origin, token: () => localStorage.getItem('token') ?? undefined })
 * const { projects } = await developer.call('listProjects', {})
 */
export declare function createDeveloperClient({ token, renewToken, ...options }: DeveloperOptions): DeveloperClient;

/**
 * The URL of a call whose response is not JSON, such as a picture: for `src` or `href` of a page.
 *
 * @example
 * image.src = addressOf(location.origin, 'readDefaultCard', { params: { label: 'star-duel' } })
 */
export declare function addressOf<Name extends keyof DeveloperCalls>(url: string, name: Name, request: DeveloperCalls[Name]['request']): string;

/**
 * Calls the service with the secret key of an environment, by the names of the contract. For your own server
 * `createServerClient` of `@svc/sdk/server` is easier to use. Throws `secret_key_refused` in a browser.
 *
 * @example
 * const environment = createSecretKeyClient({ url, secretKey: process.env.SVC_KEY })
 * const { version } = await environment.call('readConfig', {})
 */
export declare function createSecretKeyClient({ secretKey, ...options }: SecretKeyOptions): SecretKeyClient;

type EnvironmentName = "development" | "production";

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

type EventHint = {
    topic: string;
    id?: string;
};

/** The part of `fetch` that the SDK uses. */
type Fetch = (url: string, request?: RequestInit) => Promise<Response>;

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

export {};
