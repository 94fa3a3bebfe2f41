/**
 * What people search for and the docs call otherwise, by the page or the heading that answers it. Phrases are separated by commas. A
 * question that is exactly such a phrase has its answer first; otherwise its words count like those of a heading.
 */
export const SYNONYMS: Record<string, string> = {
  '/docs/guide/first-steps':
    'getting started, get started, quickstart, quick start, tutorial, hello world, install the sdk, npm install, local development, localhost, svc new',
  '/docs/guide/existing-game':
    'existing app, existing game, existing project, migrate localstorage, localstorage, local storage, integrate, add to my game, svc init, own domain, my own host, netlify, vercel, github pages, itch, itch.io, cloudflare pages',
  '/docs/guide/concepts':
    'glossary, terms, terminology, overview, architecture, what is a project, what is an environment, environment, environments, room or channel, room vs channel',
  '/docs/guide/players':
    'log out, logout, signout, sign out, log in, login, register, registration, password reset, reset password, forgot password, forgotten password, anonymous, anonymous login, guest account, oauth, google login, apple login, discord login, authentication, auth, social login, account, accounts, jwt, access token, refresh token, session, delete account, link account, sign in with google',
  '/docs/guide/saves':
    'cloud save, save game, savegame, key value, storage, persist, persistence, progress, sync, save size, conflict, user data, player data',
  '/docs/guide/stats':
    'score, scores, submit score, high score, highscore, anti-cheat, anticheat, anti cheat, cheat, players cheat, cheater, cheaters, fake scores, statistics, points, xp, experience, stop cheaters, prevent cheating',
  '/docs/guide/leaderboards':
    'ranking, rankings, ladder, my rank, around me, nearby players, top 10, top players, tournament, tournaments, scoreboard, season, seasons, weekly winners, reset leaderboard',
  '/docs/guide/network-loss':
    'tunnel, bad network, slow network, flaky network, connection lost, lost connection, disconnected, airplane mode, timeout, timeouts, retries, sleeping tab, background tab, tab closed, page closed, idempotent',
  '/docs/guide/bans':
    'ban, block a player, unban, sanction, suspend, report player, report a player, abuse, appeal',
  '/docs/guide/privacy':
    'gdpr, dsgvo, ccpa, data protection, personal data, cookie, cookies, cookie banner, consent, right to erasure, delete my data, export my data, data retention, ip address, dpa, privacy',
  '/docs/guide/rooms':
    'multiplayer, realtime, real-time, netcode, lobby code, invite code, join by code, shared state, sync state, reconnect, spectate, spectator',
  '/docs/guide/matchmaking':
    'match making, quick match, quickmatch, elo, skill rating, mmr, queue, find opponents, find a match, party, minplayers, maxplayers, fill with bots, bots',
  '/docs/guide/who-decides':
    'authority, last write wins, lost update, race condition, host, host migration, cheating host',
  '/docs/guide/rooms-with-code':
    'authoritative, server authoritative, authoritative server, tick, tick rate, tickrate, game loop, physics, simulation, server-side rooms, server rooms, prediction, client prediction, client-side prediction, predict, reconciliation, interpolation, lag, lag compensation, smooth movement, dedicated server, shooter, multiplayer shooter, fps, action game, hidden cards, hand of cards',
  '/docs/guide/peer-to-peer':
    'p2p, webrtc, data channel, datachannel, udp, turn, stun, ice, mesh, nat, low latency, rollback netcode',
  '/docs/guide/channels':
    'chat, kick, mute, mute a player, moderate, moderation, presence, who is online, online players, broadcast, announcement, notification, message, pubsub, pub/sub, group, groups, guild, clan, lobby',
  '/docs/guide/voice': 'voice chat, audio, microphone, push to talk, call, sfu, talk, proximity voice',
  '/docs/guide/hosting':
    'deploy, deployment, publish, release my game, static files, static site, cdn, rollback, roll back, spa, single page app, custom domain, cache, bundler, vite, webpack, upload, 404 page, host my game, how to host my game, where to host, web hosting, host a game, go live',
  '/docs/guide/functions':
    'server code, backend code, serverless, cloud functions, cloudflare workers, workers, edge functions, lambda, sql, database, d1, kv, cron, cron job, scheduled job, schedule, queue worker, secrets, durable objects, custom endpoint, server logic, env vars of functions, sql database',
  '/docs/guide/own-server':
    'own server, backend, express, node server, verify token, verifytoken, secret key, server sdk, python, go, php, rest api, c#',
  '/docs/guide/webhooks':
    'webhook, webhooks, hmac, callback, verify stats, signature, verifywebhook, webhook secret, retry webhook',
  '/docs/guide/sharing':
    'share, share link, viral, open graph, og image, preview image, social card, twitter card, invite friends, challenge a friend, referral, tracking, utm, analytics, in-app browser',
  '/docs/guide/config':
    'cors, access-control-allow-origin, allowedorigins, allowed origins, origin, redirecturls, redirect url, feature flags, remote config, enable a feature, turn on a feature, svc.config.json, config push',
  '/docs/guide/curl': 'curl, without the sdk, raw http, http api, http requests, postman',
  '/docs/guide/cli':
    'command line, terminal, svc command, ci, github actions, gitlab ci, pipeline, svc deploy, npm run svc, install svc, install the cli',
  '/docs/guide/dashboard': 'admin, admin panel, admin console, console, back office, ui, web interface',
  '/docs/guide/team':
    'teammates, collaborators, organization, permissions, roles, invite a developer, rbac, transfer project',
  '/docs/guide/agents':
    'mcp, ai, llm, claude, cursor, copilot, codex, coding assistant, chatgpt, model context protocol',
  '/docs/guide/typescript':
    'typescript, types, type definitions, d.ts, typings, tsconfig, generics, intellisense, type safety, autocomplete',
  '/docs/guide/testing':
    'test, tests, testing, unit test, unit tests, playwright, jest, vitest, mock, fake players, simulate players, test provider, playground, staging, end-to-end tests, emulator',
  '/docs/guide/engines':
    'unity, unity webgl, godot, phaser, webgl, three.js, threejs, react, react hook, svelte, vue, next.js, nextjs, pixi, pixijs, babylon.js, babylonjs, playcanvas, construct, construct 3, gamemaker, unreal, defold, cocos, kaplay, game engine, engine, framework, wasm, native app, ios, android, react native, electron, steam',
  '/docs/guide/install':
    'docker, docker compose, dockerfile, container, systemd, systemd unit, caddy, nginx, reverse proxy, tls, https, ssl, certificate, lets encrypt, letsencrypt, wildcard certificate, dns, vps, ubuntu, debian, firewall, ports, hetzner, digitalocean, aws, production server, install on a server',
  '/docs/guide/self-hosting':
    'self host, selfhost, on premise, production checklist, email, smtp, mail server, proxy, trusted proxy, sign-up',
  '/docs/guide/growing':
    'scale, scaling, several machines, several machines with redis, many machines, second node, horizontal scaling, cluster, postgres, postgresql, redis, s3, several servers, multiple servers, kubernetes, k8s',
  '/docs/guide/backups': 'backup, restore, disaster recovery, snapshot',
  '/docs/guide/upgrades': 'update, upgrade, new version, downgrade, migration, zero downtime, rolling update',
  '/docs/guide/monitoring':
    'prometheus, grafana, metrics, health check, healthz, readyz, opentelemetry, tracing, alerts, logging, uptime',
  '/docs/guide/security':
    'security, security model, vulnerability, report a vulnerability, xss, csrf, encryption, encrypted, threat model, api key leaked, leaked key, sandbox, penetration test, passwords stored, password hash, ddos, audit log, api key in javascript, is my api key safe, publishable key in the page',
  '/docs/guide/limits':
    'limits, limit, maximum size, maximum size of a save, quota, quotas, rate limit, rate limits, rate limited, maximum, max players, max size, how big, how many, size limit, payload too large',
  '/docs/guide/pricing':
    'pricing, price, prices, cost, costs, how much, free, free tier, plan, plans, subscription, credit, prepaid, balance, top up, invoice, money, billing off',
  '/docs/guide/billing': 'stripe, charge developers, charge customers, resell',
  '/docs/guide/coming-from-firebase':
    'firebase, firestore, realtime database, firebase auth, firebase hosting, fcm, google cloud, migrate from firebase',
  '/docs/guide/coming-from-supabase': 'supabase, row level security, rls, postgrest, migrate from supabase',
  '/docs/guide/coming-from-playfab': 'playfab, cloudscript, azure playfab, title data, migrate from playfab',
  '/docs/guide/coming-from-colyseus':
    'colyseus, colyseus schema, room schema, migrate from colyseus, socket.io, photon',
  '/docs/guide/coming-from-nakama': 'nakama, heroic labs, migrate from nakama',
  '/docs/guide/faq':
    'faq, questions, achievements, achievement, unlock, inventory, items, virtual currency, currency, economy, shop, store, purchase, purchases, in-app purchase, iap, payments, friends, friend list, push notifications, license, licence, open source, ads, languages, localization',
  '/docs/guide/troubleshooting':
    'error, not working, problem, debug, help, mixed content, websocket failed, econnrefused, port in use, blank page, leaderboard is empty',
  '/docs/guide/children':
    'coppa, gdpr-k, kids, child, children, age gate, age group, parental consent, minors',
  '/docs/guide/privacy-policy': 'privacy policy, imprint, terms of service',
  '/docs/guide/turn-based':
    'turn based, turn-based, turn based game, asynchronous multiplayer, async game, chess, board game, card game, correspondence',
  '/docs/guide/room-class': 'room class, hot reload, lifecycle hooks, ontick, oncreate, onjoin',
  '/docs/guide/room-tests': 'replay, test a room, record a room',
  '/docs/guide/load-balancers':
    'haproxy, load balancer, load balancing, sticky sessions, pgbouncer, connection pool',
  '/docs/guide/standbys': 'high availability, failover, patroni, sentinel, replica, replication',
  '/docs/guide/sizes':
    'how many players, capacity, performance, benchmark, memory usage, cpu usage, concurrent players, ccu, hardware requirements, server size',
  '/docs/settings': 'environment variables, env vars, server settings, .env',
  '/docs/frames': 'websocket url, websocket endpoint, raw websocket, websocket protocol, wss',
  '/docs/guide/existing-game#3-move-the-save': 'offline, offline mode, offline play, play offline',
  '/docs/guide/troubleshooting#a-cors-error-in-the-console': 'cors error, blocked by cors policy',
  '/docs/guide/rooms#codes-and-the-room-list': 'private room, invite link, room code, play with friends',
  '/docs/guide/troubleshooting#the-microphone-does-not-work-on-an-iphone':
    'voice not working, voice chat not working, safari microphone, no sound, cannot hear',
  '/docs/guide/saves#conflicts-between-devices':
    'save conflict, two devices, several devices, overwritten save',
  '/docs/guide/troubleshooting#no-emails-arrive':
    'email not arriving, no email, password reset email, confirmation email, spam',
  '/docs/guide/pricing#1000-players-a-day': 'cost per player, cost of players, monthly cost',
  '/docs/guide/leaderboards#ranks':
    'friends leaderboard, leaderboard of friends, friends only, compare with friends',
  '/docs/guide/first-steps#macos-and-windows': 'windows, macos, mac, wsl, wsl2, install on windows',
  '/docs/guide/faq#how-do-i-kick-a-player': 'kick a player, kick player, remove a player from a room',
  '/docs/guide/faq#can-i-import-users-from-another-service': 'import users, migrate users, import players',
}
