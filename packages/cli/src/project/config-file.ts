import { existsSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'

import { lineOf, linesOf } from '@svc/contract/config/lines'

import { Failure } from '../output/failure.ts'
import { CONFIG_FILE } from './workspace.ts'

/** A problem that the service reports; `line` is its line in the config file. */
export type Problem = { path: string; message: string; line?: number }
export type ConfigProblem = Problem & { line: number }
export type ConfigFile = {
  path: string
  text: string
  document: object
  withLines(problems: readonly Problem[]): ConfigProblem[]
}

/** The path of the config file in a folder. */
export const configPath = (folder: string) => join(folder, CONFIG_FILE)
export const hasConfigFile = (folder: string): boolean => existsSync(configPath(folder))

/** Reads and parses a config file; a byte order mark is ignored. */
export function readConfigFile(path: string): ConfigFile {
  if (!existsSync(path)) {
    throw new Failure('failed', `There is no ${path}.`, {
      fix: 'Change to the project folder, or run: svc config pull',
    })
  }
  return configFileOf(path, readFileSync(path, 'utf8').replace(/^\ufeff/, ''))
}

/** The config file with this text. */
export function configFileOf(path: string, text: string): ConfigFile {
  const document = parsed(path, text)
  const lines = linesOf(text)
  return {
    path,
    text,
    document,
    withLines: (problems) =>
      problems
        .map(({ path, message }) => ({ path, message, line: lineOf(lines, path) }))
        .sort((a, b) => a.line - b.line),
  }
}

function parsed(path: string, text: string): object {
  try {
    return JSON.parse(text)
  } catch (error) {
    const { message } = error as Error
    const line = Number(/line (\d+)/.exec(message)?.[1] ?? text.split('\n').length)
    const why = message.replace(/ in JSON at position.*| \(line.*/s, '')
    throw invalidConfig(`${path} is not JSON.`, path, [{ path: '$', message: why, line }])
  }
}

/** The failure for problems found locally or by the service. */
export const invalidConfig = (
  message: string,
  path: string,
  problems: readonly ConfigProblem[],
  exit: 'failed' | 'refused' = 'failed',
) =>
  new Failure(exit, message, { code: 'invalid_config', details: { file: basename(path), errors: problems } })

/** `multiplayer.modes[0].minPlayers: 5 must not exceed maxPlayers 4 (line 12)` */
export const problemText = ({ path, message, line }: Problem, file = CONFIG_FILE): string => {
  const where = path === '$' ? file : path.replace(/^\$\.?/, '')
  // Messages of the service may already start with the field.
  const sentence = message.startsWith(`${where} `) ? message : `${where}: ${message}`
  return `${sentence}${line === undefined ? '' : ` (line ${line})`}`
}
