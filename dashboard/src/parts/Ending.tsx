import { Button } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { CurlButton } from './CurlButton.tsx'
import { Problem } from './Problem.tsx'

/** Asks once more before something is deleted, and says what becomes of what it had. @param verb names it with its object */
export function Ending({
  verb,
  path,
  says,
  call,
  onDone,
}: {
  verb: string
  /** What a key may call for the same, too. */
  path?: string
  says: string
  call: () => Promise<unknown>
  onDone: () => void
}) {
  const end = useMutation({ mutationFn: call })
  return (
    <div className="row" style={{ flexWrap: 'wrap', justifyContent: 'flex-end', padding: '8px 0' }}>
      <span className="small t2">{says}</span>
      {end.isError && <Problem error={end.error} isAnswer />}
      <Button
        variant="filled"
        color="bad"
        loading={end.isPending}
        onClick={() => end.mutate(undefined, { onSuccess: onDone })}
      >
        {verb}
      </Button>
      <Button variant="subtle" color="gray" onClick={onDone} disabled={end.isPending}>
        Keep it
      </Button>
      {path !== undefined && <CurlButton call={{ method: 'DELETE', path }} />}
    </div>
  )
}
