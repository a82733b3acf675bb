import { describe, expect, it } from "@jest/globals";
import type { INetworkPolicy } from "kubernetes-models/networking.k8s.io/v1";
import { refusedRange } from "../../src/webhooks/target.ts";
import { ofKind } from "./kubernetes/manifests.ts";
import { mayConnect, type Party, podOf } from "./kubernetes/network.ts";

const OWN = "partner-trading";
const PROGRAMS = ["api", "worker", "deliverer", "indexer", "prober", "migrate", "operator"].map(podOf);
const INSTANCE = { "cnpg.io/cluster": "trading-db", "cnpg.io/podRole": "instance" };
const POOLER = { "cnpg.io/cluster": "trading-db", "cnpg.io/poolerName": "trading-db-pooler" };
const READ_POOLER = { ...POOLER, "cnpg.io/poolerName": "trading-db-pooler-ro" };
const PODS: Party[] = [
  ...PROGRAMS,
  { name: "database", namespace: OWN, labels: INSTANCE },
  {
    name: "database job",
    namespace: OWN,
    labels: { "cnpg.io/cluster": "trading-db", "cnpg.io/jobRole": "join" },
  },
  { name: "pooler", namespace: OWN, labels: POOLER },
  { name: "pooler of reads", namespace: OWN, labels: READ_POOLER },
  { name: "stray", namespace: OWN, labels: { app: "stray" } },
  { name: "ingress", namespace: "ingress", labels: {} },
  { name: "prometheus", namespace: "monitoring", labels: {} },
  { name: "operators' proxy", namespace: "operators", labels: {} },
  { name: "CloudNativePG", namespace: "cnpg-system", labels: { "app.kubernetes.io/name": "cloudnative-pg" } },
  {
    name: "other",
    namespace: "other",
    labels: { "app.kubernetes.io/name": "partner-trading", "app.kubernetes.io/component": "api" },
  },
];
/** The ports of the programs, PostgreSQL, its manager and metrics, and PgBouncer's metrics. */
const PORTS = [8080, 8081, 8082, 8083, 8084, 8085, 5432, 8000, 9187, 9127];

/** Clients that each pod accepts, by port. */
const TAKEN = {
  "api:8080": ["ingress"],
  "api:8083": ["prometheus", "operators' proxy"],
  "worker:8081": ["prometheus"],
  "deliverer:8084": ["prometheus"],
  "indexer:8082": ["prometheus"],
  "prober:8085": ["prometheus"],
  "pooler:5432": ["api", "worker", "deliverer"],
  "pooler:9127": ["prometheus"],
  "pooler of reads:5432": ["api", "worker", "deliverer"],
  "pooler of reads:9127": ["prometheus"],
  "database:5432": [
    "api",
    "worker",
    "deliverer",
    "indexer",
    "migrate",
    "operator",
    "database",
    "database job",
    "pooler",
    "pooler of reads",
    "CloudNativePG",
  ],
  "database:8000": ["database", "database job", "CloudNativePG"],
  "database:9187": ["prometheus"],
};

const EXTERNAL = {
  node: ["8.8.8.8", 443],
  "node by IPv6": ["2606:4700:4700::1111", 443],
  "webhook's own port": ["8.8.8.8", 8443],
  "webhook's own port by IPv6": ["2606:4700:4700::1111", 8443],
  mail: ["8.8.8.8", 25],
  "plain HTTP": ["8.8.8.8", 80],
} as const;

describe("network policies", () => {
  it("let into each pod whom it serves, and nobody else", () => {
    const taken: Record<string, string[]> = {};
    for (const to of PODS.filter(
      (pod) => "namespace" in pod && pod.namespace === OWN && pod.name !== "database job",
    )) {
      for (const port of PORTS) {
        const callers = PODS.filter((from) => mayConnect(from, to, port)).map(({ name }) => name);
        if (callers.length > 0) taken[`${to.name}:${port}`] = callers;
      }
    }
    expect(taken).toEqual(TAKEN);
  });

  it.each([
    ["api", ["node", "node by IPv6"]],
    ["worker", ["node", "node by IPv6"]],
    ["deliverer", ["node", "node by IPv6", "webhook's own port", "webhook's own port by IPv6"]],
    ["indexer", ["node", "node by IPv6"]],
    ["prober", ["node", "node by IPv6"]],
    ["operator", ["node", "node by IPv6"]],
    ["migrate", []],
    ["pooler", ["node", "node by IPv6"]],
    ["pooler of reads", ["node", "node by IPv6"]],
    ["stray", []],
  ])("let %s out to %j", (name, reached) => {
    const from = PODS.find((pod) => pod.name === name) as Party;
    const names = Object.entries(EXTERNAL)
      .filter(([to, [address, port]]) => mayConnect(from, { name: to, address }, port))
      .map(([to]) => to);
    expect(names).toEqual(reached);
  });

  it.each([
    "10.0.0.1",
    "172.16.0.1",
    "172.31.255.255",
    "192.168.1.1",
    "100.64.0.1",
    "127.0.0.1",
    "0.0.0.0",
    "169.254.169.254",
    "168.63.129.16",
    "192.0.0.1",
    "198.18.0.1",
    "224.0.0.1",
    "255.255.255.255",
    "::1",
    "fc00::1",
    "fd00:ec2::254",
    "fe80::1",
    "ff02::1",
    "64:ff9b::a00:1",
    "2002:a00:1::1",
    "2001::1",
    "2001:db8::1",
  ])("let no program out to %s, which is no public address", (address) => {
    const to = { name: address, address };
    // The deliverer's own check of webhooks agrees.
    expect(refusedRange(address)).not.toBeNull();
    const reaching = PROGRAMS.filter((from) =>
      [443, 8443, 80, 6443].some((port) => mayConnect(from, to, port)),
    );
    expect(reaching).toEqual([]);
  });

  it("keep out no address that a webhook may lead to", () => {
    const blocks = ofKind<INetworkPolicy>("NetworkPolicy").find(
      ({ metadata }) => metadata.name === "webhooks",
    );
    const excepted = (blocks?.spec?.egress ?? [])
      .flatMap(({ to = [] }) => to)
      .flatMap(({ ipBlock }) => ipBlock?.except ?? []);
    expect(excepted.length).toBeGreaterThan(10);
    const first = excepted.map((cidr) => cidr.split("/")[0] as string);
    expect(first.filter((address) => refusedRange(address) === null)).toEqual([]);
  });

  it("let api, worker, deliverer and prober send traces to the monitoring's collector", () => {
    const collector: Party = { name: "collector", namespace: "monitoring", labels: {} };
    const sending = PODS.filter((from) => "namespace" in from && from.namespace === OWN).filter((from) =>
      mayConnect(from, collector, 4318),
    );
    expect(sending.map(({ name }) => name)).toEqual(["api", "worker", "deliverer", "prober"]);
  });

  it("let everybody in the namespace resolve names", () => {
    const dns: Party = { name: "dns", namespace: "kube-system", labels: { "k8s-app": "kube-dns" } };
    for (const from of PODS.slice(0, 12)) {
      expect({
        from: from.name,
        udp53: mayConnect(from, dns, 53, "UDP"),
        tcp53: mayConnect(from, dns, 53),
        tcp443: mayConnect(from, dns, 443),
      }).toEqual({ from: from.name, udp53: true, tcp53: true, tcp443: false });
    }
  });

  it("let the database's manager reach the API server, wherever it is", () => {
    const server = { name: "API server", address: "10.96.0.1" };
    const reaching = PODS.filter(
      (from) => mayConnect(from, server, 443) && "namespace" in from && from.namespace === OWN,
    );
    expect(reaching.map(({ name }) => name)).toEqual([
      "database",
      "database job",
      "pooler",
      "pooler of reads",
    ]);
  });
});
