import { Button, SegmentedControl } from '@mantine/core'
import { useLocalStorage } from '@mantine/hooks'
import {
  IconAlertTriangle,
  IconCheck,
  IconExternalLink,
  IconQuestionMark,
  IconX,
  type TablerIcon,
} from '@tabler/icons-react'
import { useState } from 'react'
import type { Schemas } from '../../api/client.ts'
import { useDnsCheck } from '../../api/queries.ts'
import { SearchableSelect } from '../../components/SearchableSelect.tsx'
import { ErrorBanner } from '../../components/ErrorBanner.tsx'
import { Section } from '../../layout/Page.tsx'
import { findDnsProvider, nameInZone } from './dns-providers.ts'
import { SPF_PLACEHOLDER, SPF_PROVIDERS } from './spf-providers.ts'
import { CopyableValue } from '../../components/CopyableValue.tsx'
import classes from './sender.module.css'

type Sender = Schemas['Sender']
type DnsRecord = Sender['records'][number]

type Status = 'OK' | 'MISSING' | 'WRONG' | 'UNKNOWN'

const RECORD_LABELS: Record<DnsRecord['what'], string> = {
  SPF: 'SPF',
  DKIM: 'DKIM',
  DKIM_NEXT: 'DKIM, next key',
  DKIM_PREVIOUS: 'DKIM, previous key',
  DMARC: 'DMARC',
  RETURN_PATH: 'Return path',
}

const CHECK_STATUS: Record<Status, { icon: TablerIcon; label: string; meaning: string }> = {
  OK: { icon: IconCheck, label: 'Verified', meaning: 'ok' },
  MISSING: { icon: IconX, label: 'Missing', meaning: 'bad' },
  WRONG: { icon: IconAlertTriangle, label: 'Wrong', meaning: 'bad' },
  UNKNOWN: { icon: IconQuestionMark, label: 'DNS lookup failed', meaning: 'warn' },
}

/** Lists the DNS records that the domain needs, and checks them. */
export function DnsRecords({ sender }: { sender: Sender }) {
  const check = useDnsCheck(sender.records.length > 0)
  const zone = check.data?.zone ?? undefined
  const host = zone && findDnsProvider(zone.nameServers)
  const [isShort, setShort] = useState(true)
  const nameOf = ({ name }: DnsRecord) => (host && isShort ? nameInZone(name, zone.name) : name)
  const [provider, setProvider] = useLocalStorage<string | null>({ key: 'spf-provider', defaultValue: null })
  const valueOf = ({ value }: DnsRecord) => (provider === null ? value : value.replace(SPF_PLACEHOLDER, provider))
  const isOf = (one: DnsRecord) => (other: DnsRecord) => other.what === one.what && other.name === one.name
  const verified = check.data?.records.filter(({ status }) => status === 'OK').length
  return (
    <Section
      title="DNS records"
      meta={verified === undefined ? sender.records.length : `${verified} of ${check.data!.records.length} verified`}
      action={
        <Button loading={check.isFetching} onClick={() => void check.refetch()}>
          Check DNS records
        </Button>
      }
    >
      {check.isError && <ErrorBanner error={check.error} onRetry={() => void check.refetch()} />}
      <div aria-live="polite">
        {check.data?.dmarc && <DmarcVerdict dmarc={check.data.dmarc} />}
        {check.data?.warnings.map(({ code, message }) => (
          <p key={code} className={`${classes.verdict} c-warn`}>
            <IconAlertTriangle aria-hidden />
            {message}
          </p>
        ))}
      </div>
      {host && (
        <DnsHost name={host.name} url={host.url(zone.name)} zone={zone.name} isShort={isShort} onChange={setShort} />
      )}
      <ul className={classes.records} aria-live="polite">
        {sender.records.map((record) => {
          const found = check.data?.records.find(isOf(record))
          return (
            <li key={`${record.what} ${record.name}`} className="card still">
              <div className="row">
                <h3 className="strong">{RECORD_LABELS[record.what]}</h3>
                {found && <CheckBadge status={found.status} />}
              </div>
              <dl className={classes.record}>
                <CopyableValue label="Name" text={nameOf(record)} />
                <dt>Type</dt>
                <dd className="mono">{record.type}</dd>
                <CopyableValue label="Value" text={valueOf(record)} />
              </dl>
              {record.value.includes(SPF_PLACEHOLDER) && (
                <SearchableSelect
                  label="Mail provider"
                  description="Fills in its part of the record. For another one, replace YOUR-PROVIDER with the value that it documents."
                  clearable
                  data={SPF_PROVIDERS}
                  value={provider}
                  onChange={setProvider}
                />
              )}
              {found && found.status !== 'OK' && <Fault of={found} />}
              {found?.lookups != null && found.status === 'OK' && (
                <p className="small t3">Uses {found.lookups} of 10 DNS lookups.</p>
              )}
              {(found ?? record).note !== null && !record.value.includes(SPF_PLACEHOLDER) && (
                <p className="small t3">{(found ?? record).note}</p>
              )}
            </li>
          )
        })}
      </ul>
    </Section>
  )
}

/** Links the page of the DNS provider on which the records are added. */
function DnsHost({
  name,
  url,
  zone,
  isShort,
  onChange,
}: {
  name: string
  url: string
  zone: string
  isShort: boolean
  onChange: (isShort: boolean) => void
}) {
  return (
    <div className={classes.host}>
      <p>
        DNS provider: <span className="strong">{name}</span>. {isShort && `It adds ${zone} to each name.`}
      </p>
      <SegmentedControl
        aria-label="Names"
        data={[
          { value: 'short', label: 'Without domain' },
          { value: 'full', label: 'Full names' },
        ]}
        value={isShort ? 'short' : 'full'}
        onChange={(value) => onChange(value === 'short')}
      />
      <Button component="a" href={url} target="_blank" rel="noreferrer" rightSection={<IconExternalLink aria-hidden />}>
        Open {name}
      </Button>
    </div>
  )
}

/** The fault of a record, and the value that DNS has instead. */
function Fault({ of: { status, problem, found } }: { of: Schemas['SenderCheck']['records'][number] }) {
  return (
    <div className={classes.fault}>
      <p>
        {problem ??
          (status === 'MISSING'
            ? 'DNS has no such record yet. A new one usually appears within an hour.'
            : 'The record has a different value.')}
      </p>
      {found.length > 0 && (
        <p className="t2">
          Found: <span className="mono">{found.join(' · ')}</span>
        </p>
      )}
    </div>
  )
}

/** Shows whether emails pass DMARC, and what to do. */
function DmarcVerdict({ dmarc }: { dmarc: NonNullable<Schemas['SenderCheck']['dmarc']> }) {
  const { result, summary, advice, policy, policyDomain } = dmarc
  const status: Status =
    result === 'PASS' ? (advice === null ? 'OK' : 'UNKNOWN') : result === 'UNKNOWN' ? 'UNKNOWN' : 'WRONG'
  const { meaning } = CHECK_STATUS[status]
  const Icon = status === 'OK' ? IconCheck : IconAlertTriangle
  return (
    <div className={`${classes.verdict} c-${meaning}`}>
      <Icon aria-hidden />
      <div>
        <h3 className="strong">{summary}</h3>
        {advice !== null && <p className="t2">{advice}</p>}
        {policy !== null && (
          <p className="small t3">
            DMARC policy “{policy}”, published by {policyDomain}
          </p>
        )}
      </div>
    </div>
  )
}

function CheckBadge({ status }: { status: Status }) {
  const { icon: Icon, label, meaning } = CHECK_STATUS[status]
  return (
    <span className={`row push c-${meaning}`} style={{ color: 'var(--c)' }}>
      <Icon aria-hidden />
      {label}
    </span>
  )
}
