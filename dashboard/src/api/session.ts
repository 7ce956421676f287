import { queryOptions, useQuery } from '@tanstack/react-query'
import { accountApi, type Schemas } from './client.ts'

export type Session = Schemas['Session']
export type Workspace = Session['workspaces'][number]
export type Role = Workspace['role']

export const sessionQuery = queryOptions({
  queryKey: ['session'],
  queryFn: async ({ signal }): Promise<Session> => (await accountApi.GET('/session', { signal })).data.data,
  staleTime: 60_000,
})

export const useSession = () => useQuery(sessionQuery)

const ROLES_ASCENDING: readonly Role[] = ['viewer', 'editor', 'owner']
export const isAtLeast = (role: Role, least: Role): boolean =>
  ROLES_ASCENDING.indexOf(role) >= ROLES_ASCENDING.indexOf(least)

/** The workspace that was used last in this browser. */
const STORAGE_KEY = 'dripline.workspace'

export function rememberWorkspace(id: string): void {
  try {
    localStorage.setItem(STORAGE_KEY, id)
  } catch {
    // Storage may be disabled; the start page is then the first workspace.
  }
}

export function defaultWorkspace({ workspaces }: Session): Workspace | undefined {
  let last: string | null = null
  try {
    last = localStorage.getItem(STORAGE_KEY)
  } catch {
    // Storage is disabled.
  }
  return workspaces.find(({ id }) => id === last) ?? workspaces[0]
}
