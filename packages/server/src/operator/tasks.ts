import { addAgentClient, listAgentClients, removeAgentClient } from './agent-clients.ts'
import {
  inviteDeveloper,
  listDevelopers,
  printSetupLink,
  revokeInvitation,
  setOperator,
} from './developers.ts'
import { adjustMoney, createInvites, listInvites, revokeInvite, verifyMoney } from './money.ts'
import type { Operated, Output, Task } from './task.ts'

export type { Operated, Output, Task } from './task.ts'

/** Returns the exit code of the command. */
export async function runTask(service: Operated, task: Task, output: Output): Promise<number> {
  switch (task.name) {
    case 'audit verify':
      return verifyAudit(service, output)
    case 'secret rotate':
      return rotateSecrets(service, task.keyId, output)
    case 'news send':
      return sendNews(service, task, output)
    case 'hosting suspend':
    case 'hosting resume':
      return suspend(service.hosting.suspend, task, output, {
        suspended: `${task.slug} is no longer served`,
        resumed: `${task.slug} is served again`,
      })
    case 'functions suspend':
    case 'functions resume':
      return suspend(service.functions.suspendProject, task, output, {
        suspended: `the functions of ${task.slug} no longer run`,
        resumed: `the functions of ${task.slug} run again`,
      })
    case 'voice suspend':
    case 'voice resume':
      return suspend(service.suspendVoice, task, output, {
        suspended: `${task.slug} can make no voice calls`,
        resumed: `${task.slug} can make voice calls again`,
      })
    case 'developers list':
      return listDevelopers(service, output)
    case 'developers setup':
      return printSetupLink(service, output)
    case 'developers invite':
      return inviteDeveloper(service, task.email, output)
    case 'developers revoke':
      return revokeInvitation(service, task.email, output)
    case 'developers operator':
      return setOperator(service, task, output)
    case 'money verify':
      return verifyMoney(service, output)
    case 'money adjust':
      return adjustMoney(service, task, output)
    case 'invites create':
      return createInvites(service, task, output)
    case 'invites list':
      return listInvites(service, output)
    case 'invites revoke':
      return revokeInvite(service, task.code, output)
    case 'agents client add':
      return addAgentClient(service, task, output)
    case 'agents client list':
      return listAgentClients(service, output)
    case 'agents client remove':
      return removeAgentClient(service, task.id, output)
    default:
      // The command is of another version.
      output.complain('The running service does not know this command. Restart it with this version first.')
      return 1
  }
}

async function verifyAudit({ audit }: Operated, { print, complain }: Output) {
  const { projects, entries, broken } = await audit.verify()
  for (const line of broken) complain(`broken  ${line}`)
  print(`${entries} entries of ${projects} projects, ${broken.length} chains broken`)
  return broken.length > 0 ? 1 : 0
}

async function rotateSecrets(
  { secrets, secretKeyId }: Operated,
  keyId: string | undefined,
  { print, complain }: Output,
) {
  if (keyId !== undefined && keyId !== secretKeyId) {
    complain(
      'The running service has another first key in SVC_SECRET_KEY. Restart it with the new one first.',
    )
    return 1
  }
  const { resealed, alreadyCurrent, unreadable } = await secrets.rotate()
  print(`${resealed} re-encrypted, ${alreadyCurrent} already current, ${unreadable} unreadable`)
  return unreadable > 0 ? 1 : 0
}

async function sendNews(
  { newsSender }: Operated,
  { subject, paragraphs, dryRun }: Task & { name: 'news send' },
  { print }: Output,
) {
  const verb = dryRun ? 'would be written' : 'written'
  const { sent, had, full, notAllowed } = await newsSender.sendNews(
    { subject, paragraphs },
    { dryRun, onProgress: (progress) => print(`${progress.sent} emails ${verb} so far`) },
  )
  print(
    `${sent} emails ${verb}; skipped: ${had} already sent, ${full} already had two emails this month, ${notAllowed} not allowed`,
  )
  return 0
}

/** Suspends a part of a project, or resumes it. */
async function suspend(
  setSuspended: (slug: string, isSuspended: boolean) => Promise<boolean>,
  { name, slug }: { name: string; slug: string },
  { print, complain }: Output,
  texts: { suspended: string; resumed: string },
) {
  const isSuspended = name.endsWith(' suspend')
  if (!(await setSuspended(slug, isSuspended))) {
    complain(`There is no project with the slug "${slug}".`)
    return 1
  }
  print(isSuspended ? texts.suspended : texts.resumed)
  return 0
}
