import type { App } from '../app.ts'

/** A command of an operator; executed by the running service, or by the command itself if none runs. */
export type Task =
  | { name: 'audit verify' }
  | { name: 'secret rotate'; keyId?: string | undefined }
  | { name: 'news send'; subject: string; paragraphs: string[]; dryRun: boolean }
  | { name: 'hosting suspend' | 'hosting resume'; slug: string }
  | { name: 'developers list' }
  | { name: 'developers invite' | 'developers revoke'; email: string }
  | { name: 'developers operator'; email: string; isOperator: boolean }

/** Output of the command. Throws once the command has ended. */
export type Output = { print(line: string): void; complain(line: string): void }

export type Operated = Pick<App, 'audit' | 'secrets' | 'newsSender' | 'hosting' | 'signUp'> & {
  secretKeyId: string
}
