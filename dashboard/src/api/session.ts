import { queryOptions, useQuery } from '@tanstack/react-query'
import { accountApi, type Schemas } from './client.ts'

export type Session = Schemas['Session']
export type Workspace = Session['workspaces'][number]
export type Role = Workspace['role']

/** Who is signed in. */
export const sessionQuery = queryOptions({
  queryKey: ['session'],
  queryFn: async ({ signal }): Promise<Session> => (await accountApi.GET('/session', { signal })).data.data,
  staleTime: 60_000,
})

export const useSession = () => useQuery(sessionQuery)

const RANK: readonly Role[] = ['viewer', 'editor', 'owner']
export const isAtLeast = (role: Role, least: Role): boolean => RANK.indexOf(role) >= RANK.indexOf(least)

/** Where somebody worked last, in this browser: there they begin. */
const LAST = 'dripline.workspace'

export function rememberWorkspace(id: string): void {
  try {
    localStorage.setItem(LAST, id)
  } catch {
    // It is a convenience.
  }
}

export function firstWorkspace({ workspaces }: Session): Workspace | undefined {
  let last: string | null = null
  try {
    last = localStorage.getItem(LAST)
  } catch {
    // Then the first.
  }
  return workspaces.find(({ id }) => id === last) ?? workspaces[0]
}
