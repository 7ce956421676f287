import { MutationCache, QueryCache, QueryClient } from '@tanstack/react-query'
import { isTransient, isSignedOut } from './client.ts'
import { sessionQuery } from './session.ts'

/** Whoever was signed in, and is no more, signs in again over the page: what is typed stays. Asked once: the answer is the same. */
function onError(error: unknown): void {
  const { queryKey } = sessionQuery
  const known = queryClient.getQueryState(queryKey)
  if (isSignedOut(error) && known?.fetchStatus !== 'fetching' && !isSignedOut(known?.error))
    void queryClient.invalidateQueries({ queryKey }, { cancelRefetch: false })
}

/** Begins the key of what is being edited: it is not read anew under somebody's hands. */
export const EDITED_KEY = 'opened'

/** What is read: while the service is away, it is asked again by itself. */
export const queryClient = new QueryClient({
  queryCache: new QueryCache({ onError }),
  mutationCache: new MutationCache({ onError }),
  defaultOptions: {
    queries: {
      retry: (failures, error) => isTransient(error) && failures < 3,
      retryDelay: (failures) => Math.min(500 * 2 ** failures, 10_000),
      // After that, too: whoever looks sees it come back.
      refetchInterval: ({ state }) => (state.status === 'error' && isTransient(state.error) ? 5_000 : false),
      staleTime: 5_000,
      networkMode: 'always',
      refetchOnReconnect: true,
    },
    // Without a network it fails at once, and says so: nothing waits for it, and is done when nobody wants it any more.
    mutations: { retry: false, networkMode: 'always' },
  },
})
