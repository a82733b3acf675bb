// Decides as NetworkPolicies do: a connection needs an egress rule of who makes it, where a policy for egress selects them,
// and an ingress rule of who takes it, likewise.
import ipaddr from "ipaddr.js";
import type {
  INetworkPolicy,
  INetworkPolicyPeer,
  INetworkPolicyPort,
  INetworkPolicySpec,
} from "kubernetes-models/networking.k8s.io/v1";
import { ofKind, workload } from "./manifests.ts";

type Labels = Record<string, string>;

/** A pod of some namespace, or an address outside of the cluster. */
export type Party =
  | { name: string; namespace: string; labels: Labels; ports?: Record<string, number> }
  | { name: string; address: string };

const NAMESPACE = "partner-trading";
const POLICIES = ofKind<INetworkPolicy>("NetworkPolicy").map(({ spec }) => spec as INetworkPolicySpec);

/** Returns the pod of a workload of the manifests. */
export function podOf(component: string): Party {
  const { container, template } = workload(component);
  const ports = (container.ports ?? []).map(({ name, containerPort }) => [name, containerPort]);
  const labels = template.metadata?.labels as Labels;
  return { name: component, namespace: NAMESPACE, labels, ports: Object.fromEntries(ports) };
}

/** Returns true where the policies let the connection be made. */
export function mayConnect(from: Party, to: Party, port: number, protocol = "TCP"): boolean {
  const leaves = selecting(from, "Egress");
  const enters = selecting(to, "Ingress");
  const passes = (
    peers: INetworkPolicyPeer[] | undefined,
    ports: INetworkPolicyPort[] | undefined,
    party: Party,
  ) =>
    (peers ?? []).some((peer) => isPeer(peer, party)) &&
    (ports ?? []).some((rule) => isPort(rule, to, port, protocol));
  const mayLeave =
    leaves.length === 0 ||
    leaves.some(({ egress = [] }) => egress.some(({ to: peers, ports }) => passes(peers, ports, to)));
  const mayEnter =
    enters.length === 0 ||
    enters.some(({ ingress = [] }) => ingress.some(({ from: peers, ports }) => passes(peers, ports, from)));
  return mayLeave && mayEnter;
}

function selecting(party: Party, type: "Egress" | "Ingress"): INetworkPolicySpec[] {
  if (!("namespace" in party) || party.namespace !== NAMESPACE) return [];
  return POLICIES.filter(
    ({ podSelector, policyTypes }) => policyTypes?.includes(type) && isSelected(party.labels, podSelector),
  );
}

interface Selector {
  matchLabels?: Labels;
  matchExpressions?: { key: string; operator: string; values?: string[] }[];
}

function isSelected(labels: Labels, { matchLabels = {}, matchExpressions = [] }: Selector = {}): boolean {
  return (
    Object.entries(matchLabels).every(([key, value]) => labels[key] === value) &&
    matchExpressions.every(({ key, operator, values = [] }) => {
      if (operator === "In") return values.includes(labels[key] ?? "");
      if (operator === "DoesNotExist") return labels[key] === undefined;
      throw new Error(`the operator ${operator} is not known here`);
    })
  );
}

function isPeer({ ipBlock, namespaceSelector, podSelector }: INetworkPolicyPeer, party: Party): boolean {
  if ("address" in party) {
    if (!ipBlock) return false;
    return (
      isWithin(party.address, ipBlock.cidr) &&
      !(ipBlock.except ?? []).some((cidr) => isWithin(party.address, cidr))
    );
  }
  if (ipBlock) return false;
  const namespace = namespaceSelector
    ? isSelected({ "kubernetes.io/metadata.name": party.namespace }, namespaceSelector)
    : party.namespace === NAMESPACE;
  return namespace && isSelected(party.labels, podSelector);
}

function isPort(rule: INetworkPolicyPort, to: Party, port: number, protocol: string): boolean {
  if ((rule.protocol ?? "TCP") !== protocol) return false;
  const named = typeof rule.port === "string" && "ports" in to ? to.ports?.[rule.port] : rule.port;
  if (rule.endPort !== undefined) return port >= Number(named) && port <= rule.endPort;
  return named === port;
}

function isWithin(address: string, cidr: string): boolean {
  const parsed = ipaddr.parse(address);
  const [range, prefix] = ipaddr.parseCIDR(cidr);
  return parsed.kind() === range.kind() && parsed.match([range, prefix]);
}
