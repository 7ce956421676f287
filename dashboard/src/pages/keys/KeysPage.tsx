import { Button } from '@mantine/core'
import { IconBook2, IconPlus } from '@tabler/icons-react'
import { useState } from 'react'
import { useMay, useRead, useWorkspace } from '../../api/workspace.tsx'
import { Problem } from '../../parts/Problem.tsx'
import { Rows } from '../../parts/Rows.tsx'
import { Page, Part } from '../../shell/Page.tsx'
import { KeysTable } from './KeysTable.tsx'
import { NewKey } from './NewKey.tsx'
import { ShownKey } from './ShownKey.tsx'
import type { NewApiKey } from './keys.ts'

export function KeysPage() {
  const { workspace } = useWorkspace()
  const isOwner = useMay('owner')
  const [isMaking, setMaking] = useState(false)
  const [shown, setShown] = useState<NewApiKey>()
  const { data, error, refetch } = useRead(
    ['api-keys'],
    async (api, signal) => (await api.GET('/api-keys', { signal })).data.data,
    { everyMs: 5_000, enabled: isOwner },
  )
  const show = (key: NewApiKey) => {
    setShown(key)
    setMaking(false)
  }
  if (!isOwner)
    return (
      <Page title="API keys" narrow>
        <p className="t2">Keys are an owner’s to make and to see. Ask one, in Members.</p>
      </Page>
    )
  return (
    <Page
      title="API keys"
      narrow
      actions={
        <>
          <Button
            component="a"
            href="/docs"
            target="_blank"
            variant="subtle"
            color="gray"
            leftSection={<IconBook2 aria-hidden />}
          >
            Reference
          </Button>
          <Button variant="filled" leftSection={<IconPlus aria-hidden />} onClick={() => setMaking(true)}>
            New key
          </Button>
        </>
      }
    >
      {shown && <ShownKey apiKey={shown} onDone={() => setShown(undefined)} />}
      {isMaking && <NewKey onMade={show} onCancel={() => setMaking(false)} />}
      <Part
        title={`Keys of ${workspace.name}`}
        beside={data?.length}
        action={<span className="small t3 wide">Requests are counted exactly, over any 60 seconds</span>}
      >
        {error && <Problem error={error} again={() => void refetch()} />}
        {!data && !error && <Rows />}
        {data?.length === 0 && (
          <p className="t2">No key yet. Make one, and try it with the command that is shown beside it.</p>
        )}
        {data && data.length > 0 && <KeysTable keys={data} newId={shown?.id} onRotated={show} />}
      </Part>
    </Page>
  )
}
