package main

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"log"
	"strings"
)

// controlPods is the controller of agent-k8s: it starts a pod for each task, beside the worker of its node.
func controlPods(scalr *Scalr, stopped context.Context) {
	cluster := newCluster()
	takeTasks(scalr, stopped, func(task *Task) {
		if own := at("controller", task.Steps); len(own) > 0 {
			report := scalr.reporter(task)
			process := startTask(own, report)
			process.wait()
			report(Event{Event: "run ended", Result: process.end})
			return
		}
		path := fmt.Sprintf("/api/v1/namespaces/%s/", cluster.namespace)
		steps, _ := json.Marshal(task.Steps)
		_, err := cluster.create(path+"configmaps", object{"metadata": object{"name": task.Run}, "data": object{"steps": string(steps)}})
		if err == nil {
			_, err = cluster.create(path+"pods", runPod(task))
		}
		if err != nil {
			scalr.report(Event{Run: task.Run, Event: "no pod", Result: err.Error()})
			return
		}
		scalr.report(Event{Run: task.Run, Event: "pod", Result: task.Run})
		go func() {
			end := cluster.endOf(path+"pods/"+task.Run, podEnd)
			report := scalr.reporter(task)
			for _, line := range strings.Split(cluster.text(path+"pods/"+task.Run+"/log"), "\n") {
				event := Event{Container: "runner"}
				if json.Unmarshal([]byte(line), &event) == nil {
					report(event)
				}
			}
			report(Event{Event: "run ended", Result: end})
		}()
	})
	scalr.report(Event{Event: "stopping", Result: howToStop().action})
}

// podEnd is how a pod has ended, or nothing.
func podEnd(pod object) string {
	switch phase := field(pod, "status", "phase"); phase {
	case "Succeeded", "Failed":
		return strings.ToLower(phase.(string))
	}
	return ""
}

// runPod is the pod of a run as the variables of the controller want it. What else is in it is not known.
func runPod(task *Task) object {
	home := required("SCALR_AGENT_DATA_DIR")
	return object{
		"metadata": object{
			"name":        task.Run,
			"labels":      decoded("SCALR_AGENT_KUBERNETES_TASK_LABELS"),
			"annotations": decoded("SCALR_AGENT_KUBERNETES_TASK_ANNOTATIONS"),
		},
		"spec": object{
			"restartPolicy":                "Never",
			"automountServiceAccountToken": required("SCALR_AGENT_KUBERNETES_AUTOMOUNT_SERVICE_ACCOUNT_TOKEN") == "true",
			"nodeSelector":                 decoded("SCALR_AGENT_KUBERNETES_TASK_NODE_SELECTOR"),
			"tolerations":                  decoded("SCALR_AGENT_KUBERNETES_TASK_TOLERATIONS"),
			"volumes":                      []object{{"name": "data-home", "hostPath": object{"path": home}}},
			"containers": []object{{
				"name":    "run",
				"image":   required("STUB_RUN_IMAGE"),
				"command": []string{"task"},
				"env": []object{{"name": "STUB_STEPS", "valueFrom": object{
					"configMapKeyRef": object{"name": task.Run, "key": "steps"},
				}}},
				"volumeMounts": []object{{"name": "data-home", "mountPath": home}},
			}},
		},
	}
}

// decoded is JSON in base64, as the chart hands it over.
func decoded(name string) any {
	var found any
	content, err := base64.StdEncoding.DecodeString(required(name))
	if err == nil {
		err = json.NewDecoder(strings.NewReader(string(content))).Decode(&found)
	}
	if err != nil {
		log.Fatalf("%s: %v", name, err)
	}
	return found
}
