// Command volumes makes PersistentVolumes out of folders of this machine, on which all nodes run.
//
// A claim of one node (ReadWriteOnce) gets a volume that only the node of its pod can use, as local disks are. A claim of
// many (ReadWriteMany) gets one that every node can use: the folder is the same for all of them.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"log"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"syscall"

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/klog/v2"
	"sigs.k8s.io/sig-storage-lib-external-provisioner/v10/controller"
)

// provisionerName is what the StorageClass names.
const provisionerName = "mediaflow.io/folder"

type folders struct{ root string }

// Provision makes the folder of a claim and describes it as a local volume, whose group Kubernetes sets for pods that ask.
func (f folders) Provision(_ context.Context, options controller.ProvisionOptions) (*v1.PersistentVolume, controller.ProvisioningState, error) {
	label, value := v1.LabelOSStable, "linux"
	if !slices.Contains(options.PVC.Spec.AccessModes, v1.ReadWriteMany) {
		if options.SelectedNode == nil {
			return nil, controller.ProvisioningFinished, errors.New("no node is selected: the class must wait for the first consumer")
		}
		label, value = v1.LabelHostname, options.SelectedNode.Labels[v1.LabelHostname]
	}
	folder := filepath.Join(f.root, options.PVName)
	if err := os.MkdirAll(folder, 0o777); err != nil {
		return nil, controller.ProvisioningFinished, err
	}
	if err := os.Chmod(folder, 0o777); err != nil { // the umask does not count
		return nil, controller.ProvisioningFinished, err
	}
	isNode := v1.NodeSelectorRequirement{Key: label, Operator: v1.NodeSelectorOpIn, Values: []string{value}}
	return &v1.PersistentVolume{
		ObjectMeta: metav1.ObjectMeta{Name: options.PVName},
		Spec: v1.PersistentVolumeSpec{
			PersistentVolumeReclaimPolicy: *options.StorageClass.ReclaimPolicy,
			AccessModes:                   options.PVC.Spec.AccessModes,
			Capacity:                      v1.ResourceList{v1.ResourceStorage: options.PVC.Spec.Resources.Requests[v1.ResourceStorage]},
			PersistentVolumeSource:        v1.PersistentVolumeSource{Local: &v1.LocalVolumeSource{Path: folder}},
			NodeAffinity: &v1.VolumeNodeAffinity{Required: &v1.NodeSelector{
				NodeSelectorTerms: []v1.NodeSelectorTerm{{MatchExpressions: []v1.NodeSelectorRequirement{isNode}}},
			}},
		},
	}, controller.ProvisioningFinished, nil
}

// Delete removes the folder of a volume that nobody claims any more.
func (f folders) Delete(_ context.Context, volume *v1.PersistentVolume) error {
	if volume.Spec.Local == nil || filepath.Dir(volume.Spec.Local.Path) != f.root {
		return fmt.Errorf("volume %s is no folder of %s", volume.Name, f.root)
	}
	return os.RemoveAll(volume.Spec.Local.Path)
}

func main() {
	root := flag.String("root", "", "folder that holds the volumes")
	kubeconfig := flag.String("kubeconfig", "", "how to reach the API server")
	flag.Parse()
	config, err := clientcmd.BuildConfigFromFlags("", *kubeconfig)
	if err != nil {
		log.Fatal(err)
	}
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		log.Fatal(err)
	}
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, syscall.SIGINT)
	defer stop()
	controller.NewProvisionController(klog.FromContext(ctx), client, provisionerName, folders{filepath.Clean(*root)},
		controller.LeaderElection(false)).Run(ctx)
}
