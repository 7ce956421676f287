/** A page of a list: `GET /contacts` has numbered pages, and lists that grow, such as `GET /messages`, have cursors. */
export interface Page<Item, Pagination> {
  data: Item[]
  pagination: Pagination
}

/**
 * A list that is requested page by page while you iterate:
 *
 *     for await (const contact of dripline.contacts.list({ tag: 'vip' })) …
 *
 * Iterating starts at the `page` or the `cursor` of the query. Lists with numbered pages shift if items are added or deleted in the
 * meantime. To delete the items of a list, collect them first with `toArray()`.
 */
export interface List<Item, Pagination> extends AsyncIterable<Item> {
  /** Requests only the page that the query selects. */
  page(): Promise<Page<Item, Pagination>>
  /** Requests all pages, and collects their items. */
  toArray(): Promise<Item[]>
}

/** Query parameters that select a page. */
interface PageQuery {
  page?: number
  limit?: number
  cursor?: string
}

interface AnyPagination {
  page?: number
  totalPages?: number
  nextCursor?: string | null
}

/** The API's maximum. Iterating needs fewer requests with it. */
const MAX_PAGE_SIZE = 100

/** Creates a list from a function that requests one of its pages. */
export function listOf<Item>(
  query: PageQuery | undefined,
  request: (query: PageQuery | undefined) => Promise<Page<Item, AnyPagination>>,
): List<Item, AnyPagination> {
  async function* items(): AsyncGenerator<Item, void, undefined> {
    let next: PageQuery | undefined = { limit: MAX_PAGE_SIZE, ...query }
    while (next) {
      const { data, pagination }: Page<Item, AnyPagination> = await request(next)
      yield* data
      next = nextPage(next, pagination)
    }
  }
  return {
    [Symbol.asyncIterator]: items,
    page: () => request(query),
    async toArray() {
      const all: Item[] = []
      for await (const item of items()) all.push(item)
      return all
    },
  }
}

function nextPage(query: PageQuery, { page, totalPages, nextCursor }: AnyPagination): PageQuery | undefined {
  if (typeof nextCursor === 'string') return { ...query, cursor: nextCursor }
  if (page !== undefined && totalPages !== undefined && page < totalPages) return { ...query, page: page + 1 }
  return undefined
}
