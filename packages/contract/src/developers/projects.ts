import { type Static, Type } from 'typebox'

import { endpoint } from '../common/endpoint.ts'
import { LIMITS } from '../common/limits.ts'
import { ROLES } from '../common/roles.ts'
import {
  Actor,
  Deleted,
  EnvironmentName,
  EnvironmentParams,
  Id,
  IdParam,
  Line,
  Nullable,
  ProjectParams,
  Timestamp,
} from '../common/schemas.ts'

/** Projects, their two environments and their keys. */

/** A project as its members see it. */
export type ProjectView = Static<typeof ProjectView>
/** It always has two environments, development and production (GEN-24). */
export const ProjectView = Type.Object({
  id: Id,
  name: Type.String(),
  slug: Type.String({ description: 'part of the URLs of hosted apps; never changes' }),
  createdAt: Timestamp,
  environments: Type.Array(Type.Object({ id: Id, name: EnvironmentName })),
})

/** Publishable keys are for pages, secret keys for servers. */
export type KeyType = Static<typeof KeyType>
/** The texts of keys begin with `pk_` (publishable) or `sk_` (secret) (GEN-38). */
export const KeyType = Type.Union([Type.Literal('publishable'), Type.Literal('secret')])

/** An API key; only a publishable key shows its value. */
export type KeyView = Static<typeof KeyView>
/** `last4` are the last four characters of the value. `lastUsedAt` is null before its first use. */
export const KeyView = Type.Object({
  id: Id,
  type: KeyType,
  environment: EnvironmentName,
  label: Nullable(Type.String()),
  last4: Type.String(),
  plaintext: Nullable(
    Type.String(),
    'the value of a publishable key; null for a secret key, and for a key that an earlier version created',
  ),
  createdAt: Timestamp,
  createdBy: Nullable(Actor, 'null for keys that an earlier version created'),
  lastUsedAt: Nullable(Timestamp),
})

/** New keys with their values, which are shown only once. */
export type NewKeys = Static<typeof NewKeys>
/** The keys of a new project: a publishable and a secret one for each environment. */
export const NewKeys = Type.Array(
  Type.Object({
    id: Id,
    environment: EnvironmentName,
    type: KeyType,
    key: Type.String({ description: 'in plain text; shown only now' }),
  }),
)

const Name = Line(1, LIMITS.projectNameLengthMax)

/** A project as lists show it, with the state of its environments. */
export type ProjectEntry = Static<typeof ProjectEntry>
/** Unlike `ProjectView`, each environment has its number of players and its live version. */
export const ProjectEntry = Type.Object({
  ...ProjectView.properties,
  role: Type.Enum(ROLES, { description: 'your role in the project' }),
  environments: Type.Array(
    Type.Object({
      id: Id,
      name: EnvironmentName,
      players: Type.Integer(),
      online: Type.Integer({ description: 'open realtime connections' }),
      liveVersion: Nullable(Type.Integer({ description: 'of the hosted app; null while nothing is live' })),
    }),
  ),
})

/** List your projects and those shared with you, newest first. */
export const listProjects = endpoint('GET /v1/projects', {
  summary: 'List your projects and those shared with you, newest first',
  caller: 'developer',
  role: 'account',
  response: Type.Object({ projects: Type.Array(ProjectEntry) }),
})

/** Create a project with a development and a production environment. */
export const createProject = endpoint('POST /v1/projects', {
  summary:
    'Create a project with a development and a production environment; returns all four keys in plain text, once',
  caller: 'developer',
  role: 'account',
  idempotent: true,
  body: Type.Object({ name: Name }),
  response: Type.Object({ project: ProjectView, keys: NewKeys }),
  errors: ['name_reserved', 'too_many_projects'],
})

/** Get a project. */
export const readProject = endpoint('GET /v1/projects/:projectId', {
  summary: 'Get a project',
  caller: 'developer',
  role: 'viewer',
  params: ProjectParams,
  agent: 'read',
  response: Type.Object({
    project: ProjectView,
    role: Type.Enum(ROLES, { description: 'your role in the project' }),
  }),
})

/** Rename a project, at most 20 times an hour. */
export const renameProject = endpoint('PATCH /v1/projects/:projectId', {
  summary: 'Rename a project; at most 20 times an hour. The slug does not change',
  caller: 'developer',
  role: 'admin',
  params: ProjectParams,
  body: Type.Object({ name: Name }),
  response: Type.Object({ project: ProjectView, previousName: Type.String(), changed: Type.Boolean() }),
  errors: ['name_reserved'],
})

/** Delete a project and all its data. */
export const deleteProject = endpoint('DELETE /v1/projects/:projectId', {
  summary: 'Delete a project and all its data; its keys stop working immediately',
  caller: 'developer',
  role: 'owner',
  params: ProjectParams,
  response: Deleted,
})

/** List the active keys of an environment; the values of secret keys are not returned. */
export const listKeys = endpoint('GET /v1/projects/:projectId/environments/:env/keys', {
  summary: 'List the active keys of an environment; the values of secret keys are not returned',
  caller: 'developer',
  role: 'viewer',
  params: EnvironmentParams,
  agent: 'read',
  response: Type.Object({ keys: Type.Array(KeyView) }),
})

/** Create a key. */
export const createKey = endpoint('POST /v1/projects/:projectId/environments/:env/keys', {
  summary: 'Create a key; its value is shown only once',
  caller: 'developer',
  role: { development: 'developer', production: 'admin' },
  idempotent: true,
  params: EnvironmentParams,
  body: Type.Object({ type: KeyType, label: Type.Optional(Line(1, 60)) }),
  response: Type.Object({ key: KeyView, plaintext: Type.String() }),
  errors: ['too_many_keys'],
})

/** Change the label of a key. */
export const relabelKey = endpoint('PATCH /v1/projects/:projectId/keys/:keyId', {
  summary: 'Change a key’s label; an empty string removes it',
  caller: 'developer',
  role: 'admin',
  params: Type.Object({ projectId: IdParam, keyId: IdParam }),
  body: Type.Object({ label: Line(0, 60) }),
  response: Type.Object({ key: KeyView }),
  errors: ['key_not_found'],
})

/** Revoke a key. */
export const revokeKey = endpoint('DELETE /v1/projects/:projectId/keys/:keyId', {
  summary: 'Revoke a key; it stops working immediately on all nodes',
  caller: 'developer',
  role: 'admin',
  params: Type.Object({ projectId: IdParam, keyId: IdParam }),
  response: Deleted,
  errors: ['key_not_found'],
})

/** Get daily figures of an environment. */
export const readActivity = endpoint('GET /v1/projects/:projectId/environments/:env/activity', {
  summary:
    'Get daily activity; active players, new players and bans per UTC day, oldest first; the last day is still in progress',
  caller: 'developer',
  role: 'viewer',
  params: EnvironmentParams,
  query: Type.Object({
    days: Type.Optional(Type.Integer({ minimum: 1, maximum: LIMITS.activityDaysMax, default: 14 })),
  }),
  agent: 'read',
  response: Type.Object({
    days: Type.Array(
      Type.Object({
        date: Type.String({ description: 'like 2026-01-31, UTC' }),
        actives: Type.Integer(),
        newPlayers: Type.Integer({ description: 'players who were deleted since are not counted' }),
        bans: Type.Integer(),
      }),
    ),
  }),
})

/** Get an overview of an environment. */
export const readOverview = endpoint('GET /v1/projects/:projectId/environments/:env/overview', {
  summary: 'Get an overview of an environment',
  caller: 'developer',
  role: 'viewer',
  params: EnvironmentParams,
  agent: 'read',
  response: Type.Object({
    players: Type.Object({ total: Type.Integer(), guests: Type.Integer(), banned: Type.Integer() }),
    dailyActives: Type.Array(
      Type.Object({ date: Type.String({ description: 'like 2026-01-31, UTC' }), count: Type.Integer() }),
      { description: 'the last 14 days, oldest first' },
    ),
    configVersion: Type.Integer(),
    keys: Type.Array(KeyView),
    online: Type.Integer({ description: 'open realtime connections' }),
    openAppeals: Type.Integer(),
    failedMails: Type.Integer({ description: 'emails of the last 30 days that could not be delivered' }),
    firsts: Type.Object(
      {
        keyUsedAt: Nullable(Timestamp, 'the last use of any key that was not revoked'),
        playerAt: Nullable(Timestamp, 'the oldest player that was not deleted'),
        deploymentAt: Nullable(Timestamp, 'the oldest stored deployment'),
        roomAt: Nullable(Timestamp, 'the first room'),
      },
      {
        description:
          'null for what has not happened yet; keyUsedAt is the last time, the others are first times',
      },
    ),
  }),
})
