import { useState } from 'react'
import { Button } from '@mantine/core'
import { useInvalidate, useWorkspace } from '../../api/workspace.tsx'
import { ConfirmAction } from '../../components/ConfirmAction.tsx'
import { useConsequence } from './consequence.ts'
import type { Proposal } from './proposals.ts'

type Verb = 'approve' | 'reject'

/** Approves or rejects a proposal, after a confirmation. */
export function Decision({ proposal }: { proposal: Proposal }) {
  const { api } = useWorkspace()
  const invalidate = useInvalidate()
  const [asked, setAsked] = useState<Verb>()
  const { text, endsEnrollments } = useConsequence(proposal)
  const decide = async (verb: Verb) => {
    const params = { path: { id: proposal.id } }
    try {
      await (verb === 'approve'
        ? api.POST('/proposals/{id}/approve', { params })
        : api.POST('/proposals/{id}/reject', { params }))
    } finally {
      // Also after an error: another member may have decided.
      void invalidate()
    }
  }
  return (
    <div className="row" style={{ marginBottom: 16 }}>
      {/* Hidden, not removed: the focus returns to them. */}
      <Button
        variant="filled"
        display={asked || proposal.isOutdated ? 'none' : undefined}
        onClick={() => setAsked('approve')}
      >
        Approve…
      </Button>
      <Button display={asked ? 'none' : undefined} onClick={() => setAsked('reject')}>
        Reject…
      </Button>
      {asked === 'approve' && (
        <ConfirmAction
          key="approve"
          confirmLabel={proposal.kind === 'SEND_CAMPAIGN' ? 'Approve sending' : 'Approve change'}
          color={endsEnrollments ? 'bad' : 'accent'}
          description={text}
          action={() => decide('approve')}
          onDone={() => setAsked(undefined)}
        />
      )}
      {asked === 'reject' && (
        <ConfirmAction
          key="reject"
          confirmLabel="Reject proposal"
          description="Nothing is changed or sent. This can’t be undone."
          action={() => decide('reject')}
          onDone={() => setAsked(undefined)}
        />
      )}
    </div>
  )
}
