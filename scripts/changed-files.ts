import { execFileSync } from 'node:child_process'

/** Paths of the files that differ from a commit, or are new. `since`: a branch, too; then what this branch has changed. */
export function changedFiles(root: string, since: string): string[] {
  const git = (...args: string[]) => execFileSync('git', args, { cwd: root, encoding: 'utf8' })
  const base = git('merge-base', since, 'HEAD').trim()
  const lists = [
    git('diff', '--name-only', '--diff-filter=d', '-z', base),
    git('ls-files', '--others', '--exclude-standard', '-z'),
  ]
  return lists.flatMap((list) => list.split('\0').filter((path) => path !== '')).toSorted()
}
