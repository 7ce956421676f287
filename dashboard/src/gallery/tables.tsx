import { Button } from '@mantine/core'
import { IconUsers } from '@tabler/icons-react'
import { useState } from 'react'
import { DriplineError } from '../api/client.ts'
import { ColumnsMenu } from '../primitives/ColumnsMenu.tsx'
import { type Column, DataTable, type Sort } from '../primitives/DataTable.tsx'
import { EmptyPage } from '../primitives/EmptyPage.tsx'
import { Pager } from '../primitives/Pager.tsx'
import { timeColumn } from '../primitives/time-column.tsx'
import { ViewTabs } from '../primitives/ViewTabs.tsx'
import { ERRORS } from './fake-server.tsx'
import { EXTREMES, peopleOf, type Person } from './people.ts'
import { Section, State } from './Section.tsx'

const COLUMNS: readonly Column<Person>[] = [
  { id: 'name', head: 'Name', cell: ({ name }) => name, phone: 'title', sortBy: ({ name }) => name },
  { id: 'email', head: 'Email', cell: ({ email }) => <span className="t2">{email}</span>, phone: 'about' },
  {
    id: 'opened',
    head: 'Opened',
    cell: ({ opened }) => opened,
    isNumber: true,
    phone: 'number',
    sortBy: ({ opened }) => opened,
  },
  timeColumn<Person>({ head: 'Created', at: ({ createdAt }) => createdAt, as: 'date' }),
]
const CHOICES = COLUMNS.map(({ id, head }) => ({ id, label: head }))
const PEOPLE = peopleOf(12)
const VIEWS: readonly { id: string; label: string; count: number }[] = [
  { id: 'all', label: 'All', count: PEOPLE.length },
  { id: 'active', label: 'Active', count: 3 },
  { id: 'none', label: 'None', count: 0 },
  ...Array.from({ length: 8 }, (_, n) => ({
    id: `saved-${n}`,
    label: `A saved view with a long name ${n}`,
    count: 1_234_567,
  })),
]
const PAGE_SIZE = 6

const idOf = ({ id }: Person) => id
const link = ({ id }: Person, title: React.ReactNode) => <a href={`#${id}`}>{title}</a>

/** A list as on a page: views, columns, sorting, selection and pages. */
function List() {
  const [view, setView] = useState('all')
  const [shown, setShown] = useState<readonly string[]>(['name', 'email', 'opened', 'created'])
  const [sort, setSort] = useState<Sort>({ by: 'opened', isDescending: true })
  const [page, setPage] = useState(1)
  const [archived, setArchived] = useState('')
  const rows = view === 'active' ? PEOPLE.slice(0, 3) : view === 'none' ? [] : PEOPLE
  return (
    <>
      <ViewTabs label="Views" views={VIEWS} value={view} onChange={setView}>
        <ColumnsMenu choices={CHOICES} value={shown} onChange={setShown} />
      </ViewTabs>
      <DataTable
        label="People"
        rows={rows.slice((page - 1) * PAGE_SIZE, page * PAGE_SIZE)}
        idOf={idOf}
        columns={shown.map((id) => COLUMNS.find((column) => column.id === id)!)}
        link={link}
        isCurrent={({ id }) => id === 'person-2'}
        sort={sort}
        onSort={setSort}
        bulk={{
          nameOf: ({ name }) => name,
          actions: (chosen, clear) => (
            <Button
              onClick={() => {
                setArchived(chosen.map(({ name }) => name).join(', '))
                clear()
              }}
            >
              Archive
            </Button>
          ),
        }}
        keys={[['N', 'New person']]}
        empty={<p className="t2">No people match this view.</p>}
        total={`${rows.length} people`}
      />
      <Pager page={page} pages={Math.ceil(rows.length / PAGE_SIZE)} onChange={setPage} />
      <output aria-label="Archived">{archived}</output>
    </>
  )
}

/** A table whose first request failed. */
function Failed({ error }: { error: Error }) {
  const [rows, setRows] = useState<readonly Person[]>()
  return (
    <DataTable
      label={`People after ${error.message}`}
      rows={rows}
      error={rows ? undefined : error}
      onRetry={() => setRows(PEOPLE.slice(0, 1))}
      idOf={idOf}
      columns={COLUMNS}
      empty={null}
    />
  )
}

/** A list whose selection is kept on other pages, until the filter changes. */
function Paged() {
  const [page, setPage] = useState(1)
  const [filter, setFilter] = useState('all')
  const [named, setNamed] = useState('')
  return (
    <>
      <ViewTabs
        label="Filters"
        views={[
          { id: 'all', label: 'All of them' },
          { id: 'same', label: 'Another filter' },
        ]}
        value={filter}
        onChange={setFilter}
      />
      <DataTable
        label="People on pages"
        rows={PEOPLE.slice((page - 1) * PAGE_SIZE, page * PAGE_SIZE)}
        idOf={idOf}
        columns={COLUMNS}
        bulk={{
          nameOf: ({ name }) => name,
          keptFor: filter,
          actions: (chosen) => (
            <Button onClick={() => setNamed(chosen.map(({ name }) => name).join(', '))}>Name them</Button>
          ),
        }}
        empty={null}
      />
      <Pager page={page} pages={2} onChange={setPage} />
      <output aria-label="Named">{named}</output>
    </>
  )
}

/** A table with details of a row. */
function WithDetails() {
  const [open, setOpen] = useState<string>()
  const name = { ...COLUMNS[0]!, total: 'Total' }
  const opened = { ...COLUMNS[2]!, total: 15 }
  const action: Column<Person> = {
    id: 'details',
    head: 'Actions',
    hidesHead: true,
    phone: 'actions',
    cell: ({ id, name }) => <Button onClick={() => setOpen(id)}>{`Details of ${name}`}</Button>,
  }
  return (
    <DataTable
      label="People with details"
      rows={PEOPLE.slice(0, 4)}
      idOf={idOf}
      columns={[name, opened, action]}
      link={link}
      below={({ id }) =>
        open === id && (
          <p>
            Joined by <a href="#import">an import</a>.
          </p>
        )
      }
      empty={null}
    />
  )
}

const GONE = new DriplineError('This list does not exist.', { status: 404, code: 'list_not_found', requestId: 'req_2' })

export const TableSections = () => (
  <>
    <Section title="Table">
      <List />
    </Section>
    <Section title="States of a table">
      <State title="With details below a row and a total">
        <WithDetails />
      </State>
      <State title="With pages">
        <Paged />
      </State>
      <State title="Long texts">
        <DataTable label="Long texts" rows={EXTREMES} idOf={idOf} columns={COLUMNS} link={link} empty={null} />
      </State>
      <State title="Right to left" dir="rtl">
        <DataTable label="From right to left" rows={EXTREMES} idOf={idOf} columns={COLUMNS} link={link} empty={null} />
      </State>
      <State title="Empty">
        <DataTable
          label="No people"
          rows={[]}
          idOf={idOf}
          columns={COLUMNS}
          empty={
            <EmptyPage icon={IconUsers} title="People" action={<Button variant="filled">New person</Button>}>
              The people who get your emails.
            </EmptyPage>
          }
        />
      </State>
      <State title="Loading">
        <DataTable label="Loading people" rows={undefined} idOf={idOf} columns={COLUMNS} empty={null} />
      </State>
      <State title="Failed, and may work later">
        <Failed error={ERRORS.lost} />
      </State>
      <State title="Failed for good">
        <Failed error={GONE} />
      </State>
      <State title="Failed to refresh">
        <DataTable
          label="Old people"
          rows={PEOPLE.slice(0, 1)}
          error={ERRORS.lost}
          onRetry={() => undefined}
          idOf={idOf}
          columns={COLUMNS}
          empty={null}
        />
      </State>
    </Section>
  </>
)
