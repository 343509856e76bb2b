// Command policies enforces NetworkPolicies on one node, with kube-router's controller alone (iptables and ipset).
package main

import (
	"context"
	"flag"
	"log"
	"os/signal"
	"sync"
	"syscall"

	"github.com/cloudnativelabs/kube-router/v2/pkg/controllers/netpol"
	"github.com/cloudnativelabs/kube-router/v2/pkg/healthcheck"
	"github.com/cloudnativelabs/kube-router/v2/pkg/options"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/clientcmd"
)

func must(err error) {
	if err != nil {
		log.Fatal(err)
	}
}

func main() {
	kubeconfig := flag.String("kubeconfig", "", "how to reach the API server")
	node := flag.String("node", "", "name of this node")
	services := flag.String("services", "", "addresses of services")
	flag.Parse()
	access, err := clientcmd.BuildConfigFromFlags("", *kubeconfig)
	must(err)
	client, err := kubernetes.NewForConfig(access)
	must(err)
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, syscall.SIGINT)
	defer stop()

	config := options.NewKubeRouterConfig()
	config.EnableIPv4, config.HostnameOverride, config.ClusterIPCIDRs = true, *node, []string{*services}
	watched := informers.NewSharedInformerFactory(client, 0)
	pods, namespaces := watched.Core().V1().Pods().Informer(), watched.Core().V1().Namespaces().Informer()
	policies := watched.Networking().V1().NetworkPolicies().Informer()
	watched.Start(ctx.Done())
	watched.WaitForCacheSync(ctx.Done())

	tables, sets, err := netpol.NewIPTablesHandlers(config)
	must(err)
	controller, err := netpol.NewNetworkPolicyController(client, config, pods, policies, namespaces, &sync.Mutex{}, tables, sets)
	must(err)
	for informer, handler := range map[cache.SharedIndexInformer]cache.ResourceEventHandler{
		pods: controller.PodEventHandler, namespaces: controller.NamespaceEventHandler, policies: controller.NetworkPolicyEventHandler,
	} {
		_, err = informer.AddEventHandler(handler)
		must(err)
	}
	heartbeats := make(chan *healthcheck.ControllerHeartbeat)
	go func() {
		for range heartbeats { // nobody watches over it but the node, which starts it again
		}
	}()
	var running sync.WaitGroup
	running.Add(1)
	controller.Run(heartbeats, ctx.Done(), &running)
	running.Wait()
}
