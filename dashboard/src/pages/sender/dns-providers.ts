// cspell:ignore awsdns domaincontrol googledomains
interface DnsProvider {
  name: string
  /** The pattern of its name servers. */
  servers: RegExp
  /** The page on which it edits the records of a zone, or lists zones. */
  url: (zone: string) => string
}

const PROVIDERS: readonly DnsProvider[] = [
  {
    name: 'Cloudflare',
    servers: /\.ns\.cloudflare\.com$/,
    url: (zone) => `https://dash.cloudflare.com/?to=/:account/${zone}/dns/records`,
  },
  {
    name: 'Amazon Route 53',
    servers: /\.awsdns-\d+\.(com|net|org|co\.uk)$/,
    url: () => 'https://console.aws.amazon.com/route53/v2/hostedzones',
  },
  {
    name: 'Namecheap',
    servers: /\.registrar-servers\.com$/,
    url: (zone) => `https://ap.www.namecheap.com/Domains/DomainControlPanel/${zone}/advancedns`,
  },
  {
    name: 'GoDaddy',
    servers: /\.domaincontrol\.com$/,
    url: (zone) => `https://dcc.godaddy.com/control/dnsmanagement?domainName=${zone}`,
  },
  {
    name: 'Google Cloud DNS',
    servers: /\.googledomains\.com$/,
    url: () => 'https://console.cloud.google.com/net-services/dns/zones',
  },
  {
    name: 'Azure DNS',
    servers: /\.azure-dns\.(com|net|org|info)$/,
    url: () => 'https://portal.azure.com/#browse/Microsoft.Network%2FdnsZones',
  },
  {
    name: 'DigitalOcean',
    servers: /\.digitalocean\.com$/,
    url: (zone) => `https://cloud.digitalocean.com/networking/domains/${zone}`,
  },
  { name: 'Gandi', servers: /\.gandi\.net$/, url: (zone) => `https://admin.gandi.net/domain/${zone}/records` },
  { name: 'Hetzner', servers: /\.ns\.hetzner\.(com|de)$/, url: () => 'https://dns.hetzner.com/' },
  { name: 'IONOS', servers: /\.ui-dns\.(com|de|org|biz)$/, url: () => 'https://my.ionos.com/domains' },
]

/** Finds the DNS provider of a zone by its name servers. */
export const findDnsProvider = (nameServers: readonly string[]): DnsProvider | undefined =>
  PROVIDERS.find(({ servers }) => nameServers.some((server) => servers.test(server)))

/** Returns a name as DNS providers want it: without the zone, and `@` for the zone itself. */
export function nameInZone(name: string, zone: string): string {
  if (name === zone) return '@'
  return name.endsWith(`.${zone}`) ? name.slice(0, -zone.length - 1) : name
}
