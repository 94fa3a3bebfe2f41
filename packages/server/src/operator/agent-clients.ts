import type { Operated, Output, Task } from './task.ts'

/** The task of a command line `agents client …`, or the problem as a sentence. */
export function agentsTask([, subject, verb, first, ...rest]: readonly string[]): Task | string {
  if (subject === 'client' && verb === 'list' && first === undefined) return { name: 'agents client list' }
  if (subject === 'client' && verb === 'remove' && first !== undefined && rest.length === 0)
    return { name: 'agents client remove', id: first }
  if (subject === 'client' && verb === 'add' && first !== undefined && rest.length > 0)
    return { name: 'agents client add', label: first, redirectUris: rest }
  return 'agents takes: client add <name> <redirect URI…>, client list, or client remove <id>.'
}

export async function addAgentClient(
  { agentClients }: Operated,
  { label, redirectUris }: Task & { name: 'agents client add' },
  { print, complain }: Output,
) {
  const added = await agentClients.add(label, redirectUris)
  if ('problem' in added) {
    complain(added.problem)
    return 1
  }
  print(added.id)
  print('This is its client_id. It has no secret: it uses PKCE.')
  return 0
}

export async function listAgentClients({ agentClients }: Operated, { print }: Output) {
  const clients = await agentClients.list()
  for (const { id, name, redirectUris } of clients) print([id, name, ...redirectUris].join('  '))
  if (clients.length === 0) print('No clients were added. Clients with a document at an https URL need none.')
  return 0
}

export async function removeAgentClient({ agentClients }: Operated, id: string, { print, complain }: Output) {
  if (await agentClients.remove(id)) {
    print('Removed. Its tokens work for at most one more hour.')
    return 0
  }
  complain(`There is no client "${id}".`)
  return 1
}
