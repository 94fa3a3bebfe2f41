import type { App } from '../app.ts'

/** A command of an operator; executed by the running service, or by the command itself if none runs. */
export type Task =
  | { name: 'audit verify' }
  | { name: 'secret rotate'; keyId?: string | undefined }
  | { name: 'news send'; subject: string; paragraphs: string[]; dryRun: boolean }
  | { name: 'hosting suspend' | 'hosting resume'; slug: string }
  | { name: 'functions suspend' | 'functions resume'; slug: string }
  | { name: 'voice suspend' | 'voice resume'; slug: string }
  | { name: 'developers list' }
  | { name: 'developers setup' }
  | { name: 'developers invite' | 'developers revoke'; email: string }
  | { name: 'developers operator'; email: string; isOperator: boolean }
  | { name: 'money verify' }
  | { name: 'money adjust'; email: string; cents: number; reason: string }
  | {
      name: 'invites create'
      count: number
      usesMax: number
      days?: number | undefined
      label?: string | undefined
    }
  | { name: 'invites list' }
  | { name: 'invites revoke'; code: string }
  | { name: 'agents client add'; label: string; redirectUris: string[] }
  | { name: 'agents client list' }
  | { name: 'agents client remove'; id: string }

/** Output of the command. Throws once the command has ended. */
export type Output = { print(line: string): void; complain(line: string): void }

export type Operated = Pick<
  App,
  | 'audit'
  | 'secrets'
  | 'newsSender'
  | 'hosting'
  | 'functions'
  | 'signUp'
  | 'agentClients'
  | 'money'
  | 'suspendVoice'
> & { secretKeyId: string }
