import { queryOptions, useQueries, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useRef } from 'react'
import type { Api } from '../../api/client.ts'
import { useWorkspace } from '../../api/workspace.tsx'
import { plural } from '../../lib/format.ts'
import { ErrorBanner } from '../../components/ErrorBanner.tsx'
import { SkeletonRows } from '../../components/SkeletonRows.tsx'
import { Time } from '../../components/Time.tsx'
import classes from './contacts.module.css'
import { useVirtualRows } from './use-virtual-rows.ts'

export interface ContactSearch {
  q?: string | undefined
  email?: string | undefined
  listId?: string | undefined
  tag?: string | undefined
  segmentId?: string | undefined
}

const PAGE = 100
const ROW = 36

type Read = ReturnType<typeof pageQuery>

const pageQuery = (api: Api, workspaceId: string, search: ContactSearch, page: number) =>
  queryOptions({
    queryKey: [workspaceId, 'contacts', 'page', search, page],
    queryFn: async ({ signal }) => {
      const query = { page, limit: PAGE, ...search } as { page: number; limit: number }
      return (await api.GET('/contacts', { params: { query }, signal })).data
    },
    staleTime: 15_000,
  })

/** A table of all matching contacts. Only the visible pages are loaded. */
export function ContactsTable({ search }: { search: ContactSearch }) {
  const { api, workspace } = useWorkspace()
  const first = useQuery(pageQuery(api, workspace.id, search, 1))
  if (first.error) return <ErrorBanner error={first.error} onRetry={() => void first.refetch()} />
  if (!first.data) return <SkeletonRows rows={12} />
  const { total } = first.data.pagination
  if (total === 0) {
    const isAll = Object.keys(search).length === 0
    return (
      <p className="t2">
        {isAll ? 'No contacts yet. Create one, import a CSV file, or use the API.' : 'No contacts match these filters.'}
      </p>
    )
  }
  return (
    <Table key={JSON.stringify(search)} total={total} queryOf={(page) => pageQuery(api, workspace.id, search, page)} />
  )
}

function Table({ total, queryOf }: { total: number; queryOf: (page: number) => Read }) {
  const { workspace } = useWorkspace()
  const scroller = useRef<HTMLDivElement>(null)
  const { tall, rows: items } = useVirtualRows(total, ROW, scroller)
  const pages = [...new Set([1, ...items.map(({ index }) => Math.floor(index / PAGE) + 1)])]
  const read = useQueries({ queries: pages.map(queryOf) })
  const byPage = new Map(pages.map((page, n) => [page, read[n]!.data?.data]))
  return (
    <>
      <div role="table" aria-label="Contacts" aria-rowcount={total + 1}>
        <div className={classes.head} role="row" aria-rowindex={1}>
          <span role="columnheader">Email</span>
          <span role="columnheader" className="wide">
            First name
          </span>
          <span role="columnheader" className="wide">
            Tags
          </span>
          <span role="columnheader" className={classes.right}>
            Created
          </span>
        </div>
        <div ref={scroller} className={classes.scroller} tabIndex={0} role="rowgroup">
          <div role="presentation" style={{ height: tall, position: 'relative' }}>
            {items.map(({ index, start }) => {
              const contact = byPage.get(Math.floor(index / PAGE) + 1)?.[index % PAGE]
              return (
                <div
                  key={index}
                  role="row"
                  aria-rowindex={index + 2}
                  className={classes.row}
                  style={{ transform: `translateY(${start}px)` }}
                >
                  {contact ? (
                    <>
                      <span role="cell" className="strong cut">
                        <Link
                          to="/w/$workspaceId/contacts/$contactId"
                          params={{ workspaceId: workspace.id, contactId: contact.id }}
                        >
                          <bdi>{contact.email}</bdi>
                        </Link>
                      </span>
                      <span role="cell" className="cut t2 wide">
                        <bdi>{contact.firstName}</bdi>
                      </span>
                      <span role="cell" className="cut wide">
                        {contact.tags.map((tag) => (
                          <span key={tag} className={classes.tag}>
                            {tag}
                          </span>
                        ))}
                      </span>
                      <span role="cell" className={`t2 ${classes.right}`}>
                        <Time at={contact.createdAt} as="date" />
                      </span>
                    </>
                  ) : (
                    <span role="cell" className={classes.blank} />
                  )}
                </div>
              )
            })}
          </div>
        </div>
      </div>
      <p className="small t3">{plural(total, 'contact')}</p>
    </>
  )
}
